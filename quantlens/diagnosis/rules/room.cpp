// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/room.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace quantlens {
namespace {

/// Whether a value's codes are those of what it is moved from.
bool is_moved(const Evidence& evidence, const ActivationRow& row) {
  const Node* op = evidence.node(row.op.id);
  return op != nullptr && evidence.able().has(op->kind, Role::pass_through);
}

/// In bits, in order: logarithms to base 2.
std::vector<double> rooms(const Evidence& evidence) {
  std::vector<double> bits;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    const auto reach = evidence.reach(row);
    if (!reach || row.elements == 0 || is_moved(evidence, row)) continue;
    const double times = room(row, *reach);
    if (std::isfinite(times) && times > 0) bits.push_back(std::log2(times));
  }
  std::ranges::sort(bits);
  return bits;
}

double below_which(const std::vector<double>& ordered, double p) {
  const double at = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], at - static_cast<double>(below));
}

}  // namespace

double room(const ActivationRow& row, const std::array<double, 2>& reach) {
  const double above = row.max > 0 ? reach[1] / row.max : std::numeric_limits<double>::infinity();
  const double below = row.min < 0 ? reach[0] / row.min : std::numeric_limits<double>::infinity();
  return std::min(above, below);
}

std::optional<UsualRoom> usual_room(const Evidence& evidence) {
  constexpr std::size_t kFewest = 8;
  constexpr double kTukey = 1.5;
  constexpr double kHalfBit = 0.5;
  const std::vector<double> bits = rooms(evidence);
  if (bits.size() < kFewest) return {};
  const double low = below_which(bits, 0.25);
  const double middle = below_which(bits, 0.5);
  const double high = below_which(bits, 0.75);
  const double fence = std::max(high + kTukey * (high - low), middle + kHalfBit);
  return UsualRoom{.middle = std::exp2(middle), .fence = std::exp2(fence)};
}

}  // namespace quantlens
