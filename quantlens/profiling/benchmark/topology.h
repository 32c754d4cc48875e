// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/profiling/benchmark/core_layout.h"

namespace quantlens {

/// The processors that this process may use, ascending: its CPU affinity.
std::vector<unsigned> allowed_cpus();

/// Binds this process, and all threads that it starts from now on, to these. Throws Errc::failed.
void bind_to(std::span<const unsigned> cpus);

/// These processors, with node and core as files of the system below `root` ("/") tell them. Where
/// they do not tell, all are of one node, and each is a core of its own.
std::vector<Cpu> read_topology(std::span<const unsigned> cpus, const fs::path& root);

/// The numbers of a list as the system writes them, "0-3,8,10-11", ascending; what is no such list,
/// or beyond 65535, gives none.
std::vector<unsigned> cpus_of_list(std::string_view list);

}  // namespace quantlens
