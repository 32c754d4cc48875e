// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/layout.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// Which elements of a tensor meet in which element of the result.
struct Reduction {
  Shape from;
  Shape shape;           ///< of the result
  Strides steps;         ///< from an index of `from` to a place in the result
  std::size_t size = 1;  ///< of the result
  double share = 1;      ///< elements that meet in one
};

Reduction reduction(const Call& call) {
  const Shape& from = call.input(0).shape();
  std::vector<std::int64_t> given = ints(call, "axes", 1).value_or(std::vector<std::int64_t>{});
  const bool nothing = given.empty() && attribute_int(call.node, "noop_with_empty_axes", 0) != 0;
  std::vector<bool> reduced(from.size(), given.empty() && !nothing);
  for (const std::size_t axis : axes_in(given, from.size())) reduced[axis] = true;
  const bool keep = attribute_int(call.node, "keepdims", 1) != 0;
  Reduction result;
  result.from = from;
  Shape kept = from;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (reduced[i]) kept[i] = 1;
    if (keep || !reduced[i]) result.shape.push_back(kept[i]);
  }
  result.steps = broadcast_strides(kept, from);
  result.size = checked_size(kept);
  result.share = static_cast<double>(call.input(0).size()) / static_cast<double>(result.size);
  return result;
}

/// f(what came so far, element) for all elements that meet, from `start` on.
template <class T>
std::vector<T> folded(const Reduction& how, const std::vector<T>& values, T start, auto f) {
  std::vector<T> result(how.size, start);
  std::size_t i = 0;
  walk<1>(how.from, {how.steps}, [&](const std::array<std::int64_t, 1>& at) {
    T& sum = result[static_cast<std::size_t>(at[0])];
    sum = f(sum, values[i++]);
  });
  return result;
}

constexpr auto kAdd = [](auto sum, auto value) { return sum + value; };

Results extreme(const Call& call, bool greatest) {
  const Tensor& x = call.input(0);
  const Reduction how = reduction(call);
  const auto f = [greatest](auto a, auto b) { return greatest ? std::max(a, b) : std::min(a, b); };
  if (is_float(x.dtype())) {
    const double inf = std::numeric_limits<double>::infinity();
    return {from_doubles(x.dtype(), how.shape,
                         folded<double>(how, doubles(x), greatest ? -inf : inf, f))};
  }
  using Limits = std::numeric_limits<std::int64_t>;
  return {from_integers(
      x.dtype(), how.shape,
      folded<std::int64_t>(how, to_int64(x), greatest ? Limits::min() : Limits::max(), f))};
}

}  // namespace

Results reduce_sum(const Call& call) {
  const Tensor& x = call.input(0);
  const Reduction how = reduction(call);
  if (is_float(x.dtype())) {
    return {from_doubles(x.dtype(), how.shape, folded<double>(how, doubles(x), 0, kAdd))};
  }
  return {from_integers(x.dtype(), how.shape, folded<std::int64_t>(how, to_int64(x), 0, kAdd))};
}

Results reduce_mean(const Call& call) {
  const Tensor& x = call.input(0);
  if (!is_float(x.dtype())) refuse_unknown("the oracle takes means of floats only");
  const Reduction how = reduction(call);
  std::vector<double> means = folded<double>(how, doubles(x), 0, kAdd);
  for (double& value : means) value /= how.share;
  return {from_doubles(x.dtype(), how.shape, means)};
}

Results reduce_l2(const Call& call) {
  const Tensor& x = call.input(0);
  const Reduction how = reduction(call);
  std::vector<double> norms = folded<double>(
      how, doubles(x), 0, [](double sum, double value) { return sum + value * value; });
  for (double& value : norms) value = std::sqrt(value);
  return {from_doubles(x.dtype(), how.shape, norms)};
}

Results reduce_max(const Call& call) {
  return extreme(call, true);
}

Results reduce_min(const Call& call) {
  return extreme(call, false);
}

}  // namespace quantlens::oracle
