// For tests of how the time that something takes grows with its input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUANTLENS_IS_SANITIZED 1
#elif defined(__has_feature)
#define QUANTLENS_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define QUANTLENS_IS_SANITIZED 0
#endif

/// To begin a test of growth with: a sanitizer's own work is most of what would be measured.
#define QUANTLENS_SKIP_GROWTH_IF_SANITIZED() \
  if (QUANTLENS_IS_SANITIZED) GTEST_SKIP() << "time under a sanitizer says nothing of growth"

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
