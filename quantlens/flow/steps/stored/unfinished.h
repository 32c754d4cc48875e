// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens::flow {

/// What the name of a file or folder ends in while this process writes it, as DiskStore has it:
/// ".part<pid>".
std::string unfinished_ending();

/// Of a name: the process that it ends in, "<pid>" or "<pid>-<n>"; empty where it is finished.
std::string_view process_in(std::string_view name);

/// Whether that process still runs; false where it left what it wrote.
bool is_running(std::string_view process);

}  // namespace quantlens::flow
