// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/base/error.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

// How metrics find and read what they score; not for other modules.

/// "did you mean 'top1'?", or all there is where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

/// That the model has no output `wanted`.
Error no_output(const std::string& wanted, const std::vector<std::string>& names);

/// The name of the output to score. The outputs of a model come without an order, so none is the
/// first. Throws Errc::usage, in the words of `metric`, where it must be named or is not there.
std::string chosen_output(const std::vector<OutputOutline>& outputs, const std::string& metric,
                          const std::string& wanted);
const std::pair<const std::string, Tensor>& chosen_output(const TensorMap& outputs,
                                                          const std::string& metric,
                                                          const std::string& wanted);

/// What the output says of sample `i`, as one axis. Throws Errc::bad_input where it does not divide
/// into the batch.
Tensor part_of(const std::string& name, const Tensor& output, std::size_t i, std::size_t batch);

/// The shape of one sample's part of the output.
Shape part_shape(const Tensor& output, std::size_t batch);

/// The shape without its extents of 1, which say nothing.
Shape without_ones(const Shape& shape);

std::vector<double> as_doubles(const Tensor& tensor);

/// The label of sample `i`. Throws Errc::bad_input where it has none, or one of text.
const Tensor& label_of(const Batch& batch, std::size_t i);

/// The numbers of a label, all whole. Throws Errc::bad_input, naming `wanted`, where they are not.
std::vector<std::int64_t> whole_numbers(const Batch& batch, std::size_t i, std::string_view wanted);

/// "sample 17: its label is float32 of shape [2]; this metric needs <wanted>".
Error wrong_label(const Batch& batch, std::size_t i, std::string_view wanted);

/// a - b; wraps around where that leaves the range, so that hostile labels are harmless.
std::int64_t minus(std::int64_t a, std::int64_t b);

/// The place of the greatest score, of equal ones the first; nothing where a score is NaN.
/// REQUIRES: there are scores.
std::optional<std::int64_t> best_of(std::span<const double> scores);

}  // namespace quantlens
