// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace quantlens {

/// A processor of the system that this process may use: a hyperthread, where cores have several.
struct Cpu {
  unsigned number = 0;  ///< as the system counts them
  unsigned node = 0;    ///< of memory (NUMA) that is its own
  unsigned core = 0;    ///< a number that it shares with the other hyperthreads of its core alone
};

/// Throws Errc::usage where so many instances of so many cores each need more than there are.
void check_room(unsigned instances, unsigned each, std::uint64_t there_are);

/// Which processors each of `instances` processes is bound to, `each` of them, ascending; none is
/// in two. Those of an instance are of one node where they fit into one, and instances are spread
/// over the nodes. A core's second hyperthread is used only where a node has no core left, and then
/// the hyperthreads of a core go to the same instance where that can be. Throws Errc::usage where
/// there are too few.
std::vector<std::vector<unsigned>> core_layout(const std::vector<Cpu>& cpus, unsigned instances,
                                               unsigned each);

}  // namespace quantlens
