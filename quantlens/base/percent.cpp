// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/percent.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace quantlens {

std::string percent_text(double share) {
  constexpr double kHundred = 100;
  constexpr double kLeast = 0.001;
  constexpr double kAlmostAll = 99.5;
  const double percent = kHundred * share;
  if (percent == 0) return "0";
  if (percent < kLeast) return fmt::format("under {}", kLeast);
  if (percent >= kAlmostAll && percent < kHundred) return "over 99";
  const int digits = 1 - static_cast<int>(std::floor(std::log10(percent)));
  return fmt::format("{:.{}f}", percent, std::max(0, digits));
}

std::string whole_percent(double share) {
  constexpr double kHundred = 100;
  return fmt::format("{:.0f}", std::round(kHundred * share) + 0.0);  // + 0.0: never -0
}

std::string change_text(double share) {
  constexpr double kHundred = 100;
  constexpr double kMost = 1e6;
  constexpr double kLeast = 0.005;
  const double percent = kHundred * share;
  if (std::isnan(percent)) return "nan %";  // of either sign
  if (percent > kMost) return fmt::format("over {:.0f} %", kMost);
  if (percent < -kMost) return fmt::format("under {:.0f} %", -kMost);
  return fmt::format("{:.2f} %", std::abs(percent) < kLeast ? 0 : percent);
}

}  // namespace quantlens
