// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/channel_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "quantlens/stats/channel.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

constexpr double kMostProducts = 4e8;  // multiplications

/// The channels as rows of unit length; rows of zeros stay.
std::vector<std::vector<float>> directions(const Tensor& tensor, const AxisLayout& layout) {
  std::vector<std::vector<float>> rows(layout.channels);
  const auto values = tensor.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    rows[i / layout.inner % layout.channels].push_back(values[i]);
  for (std::vector<float>& row : rows) {
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    if (!(length > 0)) continue;
    for (float& value : row) value = static_cast<float>(value / length);
  }
  return rows;
}

double product(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The greatest difference of two of one place.
float farthest(const std::vector<float>& x, const std::vector<float>& y) {
  float most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

/// The same numbers, each with a tolerance, in another order, which explains what is different ten
/// times as well: small changes of many numbers, as of a corrected bias, look alike when sorted.
std::optional<Statement> other_order_of_numbers(const Tensor& before, const Tensor& after) {
  constexpr double kNear = 0.02;  // of the greatest
  std::vector<float> x(before.data<float>().begin(), before.data<float>().end());
  std::vector<float> y(after.data<float>().begin(), after.data<float>().end());
  constexpr std::size_t kFew = 4;
  if (x.size() < kFew) return {};
  std::size_t moved = 0;
  float reach = 0;
  for (const float value : x) reach = std::max(reach, std::abs(value));
  const auto is_near = [&](float a, float b) { return std::abs(a - b) <= kNear * reach; };
  for (std::size_t i = 0; i < x.size(); ++i) moved += is_near(x[i], y[i]) ? 0 : 1;
  const float in_place = farthest(x, y);
  std::ranges::sort(x);
  std::ranges::sort(y);
  constexpr float kTimes = 10;
  if (!std::ranges::equal(x, y, is_near) || in_place < kTimes * farthest(x, y)) return {};
  return Statement{"constant.elements_moved",
                   {{"moved", figure::count(moved)}, {"elements", figure::count(x.size())}}};
}

Tensor turned(const Tensor& weight, const std::vector<std::size_t>& order,
              const std::set<std::size_t>& backwards) {
  const Strides own = strides(weight.shape());
  Shape shape;
  Strides steps;
  std::int64_t start = 0;
  for (const std::size_t axis : order) {
    const std::int64_t extent = weight.shape()[axis];
    const bool is_backwards = backwards.contains(axis);
    shape.push_back(extent);
    steps.push_back(is_backwards ? -own[axis] : own[axis]);
    if (is_backwards) start += own[axis] * (extent - 1);
  }
  return rearranged(weight, shape, steps, start);
}

}  // namespace

std::optional<Statement> other_order(const Tensor& before, const Tensor& after,
                                     std::optional<int> axis) {
  constexpr double kOwn = 0.95, kAnother = 0.97;
  if (before.shape().empty() || !axis) return other_order_of_numbers(before, after);
  const AxisLayout layout = axis_layout(before.shape(), *axis);
  const std::size_t length = layout.outer * layout.inner;
  if (length < 4) return other_order_of_numbers(before, after);
  const auto x = directions(before, layout), y = directions(after, layout);
  std::vector<std::size_t> strange;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (product(x[c], y[c]) < kOwn) strange.push_back(c);
  }
  const double work = static_cast<double>(strange.size()) * static_cast<double>(strange.size()) *
                      static_cast<double>(length);
  if (strange.size() < 2 || work > kMostProducts) return {};
  std::set<std::size_t> taken;
  std::size_t from = 0;
  for (const std::size_t c : strange) {
    double best = 0;
    std::size_t at = c;
    for (const std::size_t d : strange) {
      const double alike = product(x[d], y[c]);
      if (alike > best) std::tie(best, at) = std::pair(alike, d);
    }
    if (best < kAnother || at == c) return {};
    if (taken.empty()) from = at;
    taken.insert(at);
  }
  if (taken.size() < strange.size()) return {};
  return Statement{"constant.channels_moved",
                   {{"moved", figure::count(strange.size())},
                    {"channels", figure::count(y.size())},
                    {"from", figure::count(from)},
                    {"to", figure::count(strange.front())}}};
}

std::vector<KernelTurn> kernel_turns(const Tensor& weight) {
  std::vector<KernelTurn> turns;
  const std::size_t rank = weight.shape().size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank == 2 && weight.shape()[0] == weight.shape()[1] && weight.shape()[0] > 1)
    turns.push_back({turned(weight, {1, 0}, {}), "transposed", {}, true});
  if (rank < 3) return turns;
  std::set<std::size_t> wide;
  for (std::size_t axis = 2; axis < rank; ++axis) {
    if (weight.shape()[axis] > 1) wide.insert(axis);
  }
  if (wide.empty()) return turns;
  turns.push_back({turned(weight, order, wide), "flipped", {}, false});
  if (wide.size() > 1) {
    for (const std::size_t axis : wide)
      turns.push_back({turned(weight, order, {axis}), "flipped", axis, false});
  }
  if (rank == 4 && wide.size() == 2 && weight.shape()[2] == weight.shape()[3])
    turns.push_back({turned(weight, {0, 1, 3, 2}, {}), "transposed", {}, false});
  return turns;
}

}  // namespace quantlens
