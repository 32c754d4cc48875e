// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/tensor_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "quantlens/stats/channel.h"

namespace quantlens {
namespace {

constexpr double kOne = 0.02;  // factors this near to 1 are not told from it

bool is_one(double factor) {
  return std::abs(factor - 1) <= kOne;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

bool Factors::is_trivial() const {
  return std::ranges::all_of(of, is_one);
}

bool Factors::is_turned() const {
  return std::ranges::any_of(of, [](double factor) { return factor < 0; });
}

Statement Factors::told(std::string_view channels) const {
  const auto turned = std::ranges::count_if(of, [](double factor) { return factor < 0; });
  const auto changed = static_cast<std::ptrdiff_t>(of.size()) - std::ranges::count_if(of, is_one);
  double least = 0, most = 0;
  bool any = false;
  for (const double factor : of) {
    if (is_one(factor)) continue;
    least = any ? std::min(least, factor) : factor;
    most = any ? std::max(most, factor) : factor;
    any = true;
  }
  if (turned > 0 && is_one(-least) && (turned == changed)) {
    return {"constant.signs",
            {{"turned", figure::count(static_cast<std::uint64_t>(turned))},
             {"of", figure::count(of.size())},
             {"channels", figure::text(channels)}}};
  }
  Statement told{"constant.factors", {}};
  told.figures["times"] = most - least <= kOne * std::abs(most) ? figure::number((least + most) / 2)
                                                                : figure::numbers({least, most});
  if (changed == static_cast<std::ptrdiff_t>(of.size())) return told;
  told.figures["changed"] = figure::count(static_cast<std::uint64_t>(changed));
  told.figures["of"] = figure::count(of.size());
  told.figures["channels"] = figure::text(channels);
  return told;
}

Factors factors_along(const Tensor& before, const Tensor& after, std::optional<int> axis) {
  constexpr double kLarge = 0.25;  // of the channel's greatest
  AxisLayout layout{.outer = 1, .channels = 1, .inner = static_cast<std::size_t>(before.size())};
  if (axis) layout = axis_layout(before.shape(), *axis);
  const auto x = before.data<float>();
  const auto y = after.data<float>();
  std::vector<double> reach(layout.channels, 0);
  const auto channel = [&](std::size_t i) { return i / layout.inner % layout.channels; };
  for (std::size_t i = 0; i < x.size(); ++i)
    reach[channel(i)] = std::max(reach[channel(i)], static_cast<double>(std::abs(x[i])));
  std::vector<std::vector<double>> ratios(layout.channels);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != 0 && std::abs(x[i]) >= kLarge * reach[channel(i)])
      ratios[channel(i)].push_back(static_cast<double>(y[i]) / x[i]);
  }
  Factors factors{.axis = axis.value_or(0), .of = {}};
  for (std::vector<double>& own : ratios) factors.of.push_back(own.empty() ? 1 : median(own));
  return factors;
}

Tensor scaled(const Tensor& tensor, const Factors& factors) {
  AxisLayout layout{.outer = 1, .channels = 1, .inner = static_cast<std::size_t>(tensor.size())};
  if (factors.of.size() > 1) layout = axis_layout(tensor.shape(), factors.axis);
  const auto values = tensor.data<float>();
  std::vector<float> out(values.begin(), values.end());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(out[i] * factors.of[i / layout.inner % layout.channels]);
  return Tensor::from<float>(tensor.shape(), std::move(out));
}

namespace {

struct Products {
  double xx = 0, yy = 0, xy = 0;
};

Products products(std::span<const float> x, std::span<const float> y) {
  Products sums;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    sums.xx += static_cast<double>(x[i]) * x[i];
    sums.yy += static_cast<double>(y[i]) * y[i];
    sums.xy += static_cast<double>(x[i]) * y[i];
  }
  return sums;
}

}  // namespace

std::optional<double> factor_between(const Tensor& before, const Tensor& after,
                                     double least_squared_cosine) {
  if (before.size() != after.size()) return {};
  const auto [xx, yy, xy] = products(before.data<float>(), after.data<float>());
  if (!(xx > 0) || !(yy > 0) || !(xy * xy >= least_squared_cosine * xx * yy)) return {};
  return xy / xx;
}

double cosine(std::span<const float> x, std::span<const float> y) {
  const auto [xx, yy, xy] = products(x, y);
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace quantlens
