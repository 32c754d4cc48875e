// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/queue.h"

namespace quantlens::server {

std::size_t jobs_to_begin(std::span<const unsigned> waiting, unsigned running, unsigned budget) {
  std::size_t count = 0;
  for (const unsigned cores : waiting) {
    // A budget that was larger yesterday has let in jobs that are too large today: these run alone.
    const bool fits = running < budget && cores <= budget - running;
    const bool is_alone = running == 0 && budget > 0;
    if (!fits && !is_alone) break;
    running += cores;
    ++count;
  }
  return count;
}

}  // namespace quantlens::server
