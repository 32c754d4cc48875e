// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/moments_of.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/stats/bytes.h"

namespace quantlens {

double mean_of(std::uint64_t count, double sum) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double variance_of(std::uint64_t count, double sum, double sum_sq) {
  if (count == 0) return 0;
  const double n = static_cast<double>(count);
  return std::max(0.0, (sum_sq - sum * (sum / n)) / n);
}

std::uint64_t take_element_count(std::string_view& in) {
  const std::uint64_t count = take_varint(in);
  if (count >> 56 != 0) refuse_bytes("a count is too large");
  return count;
}

void check_extremes(float min, float max, std::uint64_t count) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const bool sound = count == 0 ? min == kInf && max == -kInf
                                : std::isfinite(min) && std::isfinite(max) && min <= max;
  if (!sound) refuse_bytes("extremes do not fit their count");
}

void check_sums(std::uint64_t count, const ExactSum& sum, const ExactSum& sum_sq) {
  if (count == 0 && !(sum == ExactSum() && sum_sq == ExactSum())) {
    refuse_bytes("a sum of nothing is not zero");
  }
  if (sum_sq.value() < 0) refuse_bytes("a sum of squares is negative");
}

}  // namespace quantlens
