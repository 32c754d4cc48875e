// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/coarse_constant.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace quantlens {
namespace {

double largest(const Range& range) {
  return std::max(std::abs(static_cast<double>(range.min)),
                  std::abs(static_cast<double>(range.max)));
}

}  // namespace

std::string coarse_constant(Kind kind, const Tensor& constant, const DataAndResult& ranges,
                            const Scheme& scheme) {
  if ((kind != Kind::mul && kind != Kind::add) || constant.size() < 2) return {};
  const Tensor numbers = aligned(constant);
  const QParams params = choose_params(extremes(numbers, {})[0], scheme);
  const double step = choose_params(ranges.result, scheme).scale;
  const double data = largest(ranges.data), result = largest(ranges.result);
  double most = 0;
  float worst = 0;
  for (const float number : numbers.data<float>()) {
    const float coded = dequantize(quantize(number, params, scheme.dtype), params);
    const double error = std::abs(static_cast<double>(coded) - number);
    // of data that would saturate the result nothing is lost
    const double carried = kind == Kind::add ? 1 : std::min(data, result / std::abs(number));
    if (error == 0 || error * carried <= most) continue;
    most = error * carried;
    worst = number;
  }
  if (!(most >= step)) return {};
  return fmt::format(
      "numbers of its constant are far apart: with one scale for all, {:.3g} would become {:.3g}, "
      "{:.0f} step(s) of its result's codes",
      worst, dequantize(quantize(worst, params, scheme.dtype), params), most / step);
}

}  // namespace quantlens
