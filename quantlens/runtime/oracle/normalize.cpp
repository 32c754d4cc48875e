// SPDX-License-Identifier: Apache-2.0
// Ops that scale a row of elements by what they are together: softmax and normalizations.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/layout.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// Softmax over the middle of [outer, extent, inner], in place.
void softmax_rows(std::vector<double>& x, const Around& size) {
  for (std::size_t o = 0; o < size.outer; ++o) {
    for (std::size_t i = 0; i < size.inner; ++i) {
      double* row = x.data() + o * size.extent * size.inner + i;
      double greatest = -std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < size.extent; ++c) {
        greatest = std::max(greatest, row[c * size.inner]);
      }
      double sum = 0;
      for (std::size_t c = 0; c < size.extent; ++c) {
        double& value = row[c * size.inner];
        value = std::exp(value - greatest);
        sum += value;
      }
      for (std::size_t c = 0; c < size.extent; ++c) row[c * size.inner] /= sum;
    }
  }
}

std::vector<double> per_channel(const Call& call, std::size_t input, std::size_t channels) {
  std::vector<double> values = doubles(call.input(input));
  if (values.size() != channels) {
    refuse(fmt::format("its input number {} has {} elements for {} channels", input, values.size(),
                       channels));
  }
  return values;
}

struct RowMoments {
  double mean = 0, inverse_deviation = 0;
};

RowMoments row_moments(std::span<const double> row, double epsilon) {
  double sum = 0;
  for (const double value : row) sum += value;
  const auto count = static_cast<double>(row.size());
  const double mean = sum / count;
  double squares = 0;
  for (const double value : row) squares += (value - mean) * (value - mean);
  return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

}  // namespace

Results softmax(const Call& call) {
  const Tensor& x = call.input(0);
  const bool one_axis = call.opset >= 13;
  const std::int64_t axis = attribute_int(call.node, "axis", one_axis ? -1 : 1);
  std::vector<double> values = doubles(x);
  if (x.shape().empty()) {
    std::ranges::fill(values, 1.0);
  } else {
    const bool past_end = !one_axis && axis == static_cast<std::int64_t>(x.shape().size());
    Around size = past_end ? Around{.outer = values.size()}
                           : around(x.shape(), axis_in(axis, x.shape().size()));
    if (!one_axis) size = {size.outer, size.extent * size.inner, 1};  // all axes from there on
    softmax_rows(values, size);
  }
  return {from_doubles(x.dtype(), x.shape(), values)};
}

Results batch_normalization(const Call& call) {
  const Tensor& x = call.input(0);
  if (attribute_int(call.node, "training_mode", 0) != 0) {
    refuse_unknown("the oracle does not train: its training_mode is set");
  }
  if (x.shape().size() < 2) refuse("its input has no channels");
  const Around size = around(x.shape(), 1);
  const std::vector<double> scale = per_channel(call, 1, size.extent);
  const std::vector<double> bias = per_channel(call, 2, size.extent);
  const std::vector<double> mean = per_channel(call, 3, size.extent);
  const std::vector<double> variance = per_channel(call, 4, size.extent);
  const double epsilon = attribute_float(call.node, "epsilon", 1e-5f);
  std::vector<double> values = doubles(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / size.inner % size.extent;
    values[i] = (values[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + bias[c];
  }
  return {from_doubles(x.dtype(), x.shape(), values)};
}

Results layer_normalization(const Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t axis = axis_in(attribute_int(call.node, "axis", -1), x.shape().size());
  const auto split = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
  const Shape inner(split, x.shape().end());
  Shape outer(x.shape().begin(), split);
  const std::size_t rows = checked_size(outer);
  const std::size_t size = checked_size(inner);
  const std::vector<double> scale = doubles(call.input(1));
  const std::vector<double> bias = call.has(2) ? doubles(call.input(2)) : std::vector<double>(size);
  if (scale.size() != size || bias.size() != size) {
    refuse(fmt::format("its scale and bias have {} and {} elements for rows of {}", scale.size(),
                       bias.size(), size));
  }
  const double epsilon = attribute_float(call.node, "epsilon", 1e-5f);
  std::vector<double> values = doubles(x), means, inverses;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<double> row(values.data() + r * size, size);
    const RowMoments moments = row_moments(row, epsilon);
    for (std::size_t i = 0; i < size; ++i) {
      row[i] = (row[i] - moments.mean) * moments.inverse_deviation * scale[i] + bias[i];
    }
    means.push_back(moments.mean);
    inverses.push_back(moments.inverse_deviation);
  }
  outer.insert(outer.end(), inner.size(), 1);
  return {from_doubles(x.dtype(), x.shape(), values), from_doubles(DType::float32, outer, means),
          from_doubles(DType::float32, outer, inverses)};
}

}  // namespace quantlens::oracle
