// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/nonfinite_elements.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace quantlens {

std::size_t count_nonfinite(const Tensor& values) {
  return static_cast<std::size_t>(std::ranges::count_if(
      values.data<float>(), [](float value) { return !std::isfinite(value); }));
}

std::size_t count_nan(const Tensor& values) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values.data<float>(), [](float value) { return std::isnan(value); }));
}

Tensor with_nonfinite_as(float number, const Tensor& values) {
  const auto data = values.data<float>();
  std::vector<float> finite(data.begin(), data.end());
  std::ranges::replace_if(
      finite, [](float value) { return !std::isfinite(value); }, number);
  return Tensor::from<float>(values.shape(), std::move(finite));
}

}  // namespace quantlens
