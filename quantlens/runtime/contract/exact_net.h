// A net of small integers, on which every kind of Run is exact whatever its order of summation, and
// plain loops that compute and gather the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/runtime/contract/models.h"

namespace quantlens::contract {

using Rows = std::vector<std::vector<float>>;  ///< elements of each sample

inline constexpr std::int64_t kIn = 6, kOut = 4;

Tensor exact_weight();  ///< [kIn, kOut]
inline constexpr std::int64_t kSecondOut = 3;
Tensor second_weight(), bypass_weight();  ///< [kOut, kSecondOut]
/// y = relu(x w) for x of [N, kIn]; "product" is an inner value, or an output, too.
Model exact_net(bool product_is_output = false);
Batch exact_data(std::uint64_t first, std::int64_t samples);

Rows rows_of(const Tensor& tensor);  ///< of a float32 tensor, by its first axis
Rows product_of(const Rows& x);      ///< x w
Rows relu_of(const Rows& rows);
Rows times(const Rows& rows, const Tensor& weight);  ///< the product with a matrix
Rows plus(Rows a, const Rows& b);
Rows rounded(const Rows& rows, const QParams& params, DType dtype);  ///< what codes mean of them
/// The same with parameters of its own for each column.
Rows rounded_columns(Rows rows, const std::vector<QParams>& params, DType dtype);
double mean_square(const Rows& a, const Rows& b);  ///< of their differences

Rows each(Rows rows, auto f) {
  for (std::vector<float>& row : rows) {
    for (float& value : row) value = f(value);
  }
  return rows;
}

SampleSet samples_of(const Batch& batch);
/// What a plain loop gathers of a value; the elements of a sample are the channels of axis 1.
ValueStats gathered_of(const std::string& value, const Batch& batch, const Rows& rows,
                       bool channels = false);
/// The same, with histograms of these channels.
ValueStats with_histograms(ValueStats stats, const Rows& rows,
                           const std::vector<std::uint32_t>& channels);
/// Taps of all values of exact_net, with channels of its product.
TapSpec exact_taps();
/// That a Run of that net with these taps sees what a plain loop computes.
void expect_exact(Run& run);
/// What taps gather as the Run steps through `whole` in batches of `size`.
TapState by_batches(Run& run, const Batch& whole, std::uint64_t size);

}  // namespace quantlens::contract
