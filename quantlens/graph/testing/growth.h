// For tests of how the time that something takes grows with its input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>

namespace quantlens {

/// CPU time of this process that `work` takes.
template <class Work>
double cpu_seconds(Work&& work) {
  const std::clock_t before = std::clock();
  work();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

/// The p of time ~ size^p between `few` and 32 times as many: `make(size)` gives what `work` takes.
/// Each time is the least of five, in turn, since others use the machine. Caches alone can make 1.3
/// of a p that is 1.
template <class Make, class Work>
double growth_exponent(std::size_t few, Make&& make, Work&& work) {
  constexpr std::size_t kTimesAsMany = 32;
  const auto small = make(few), large = make(few * kTimesAsMany);
  double quick = HUGE_VAL, slow = HUGE_VAL;
  for (int i = 0; i < 5; ++i) {
    quick = std::min(quick, cpu_seconds([&] { work(small); }));
    slow = std::min(slow, cpu_seconds([&] { work(large); }));
  }
  return std::log(slow / quick) / std::log(static_cast<double>(kTimesAsMany));
}

/// Half-way between time in proportion (1) and the square (2).
inline constexpr double kMostGrowth = 1.5;

}  // namespace quantlens
