// For tests of how the time that something takes grows with its input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>

namespace quantlens {

/// CPU time of this process that `work` takes, the least of five times: others use the machine.
template <class Work>
double cpu_seconds(Work&& work) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t before = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return least;
}

/// Eight times as much may take 24 times as long: in proportion it is 8, with the square 64.
inline constexpr std::size_t kTimesAsMuch = 8;
inline constexpr double kMostTimesAsLong = 24;

}  // namespace quantlens
