// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantlens::imports {

/// A node's execution while its run is not over.
struct Execution {
  std::size_t node = 0;
  std::uint64_t thread = 0;
  double start_us = 0;
  double own_us = 0;  ///< its whole time, until `subtract_inner` has been here
  double accelerator_us = 0;
  double overlap_us = 0;  ///< of the accelerator's time with its own
};

/// Subtracts from each execution those that ran inside it on the same thread (the body of an If,
/// Loop or Scan). Orders them by thread and start.
void subtract_inner(std::vector<Execution>& executions);

}  // namespace quantlens::imports
