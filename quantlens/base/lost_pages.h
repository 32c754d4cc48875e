// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace quantlens {

/// From now on a page of a mapped file that is not there any more, since somebody cut the file
/// short, reads as zeros instead of ending the process (SIGBUS): for programs that outlive what
/// they read. Whoever has read asks lost_pages, and believes nothing where it has changed.
void survive_lost_pages();

/// How many pages were lost so far, in all threads.
std::uint64_t lost_pages();

}  // namespace quantlens
