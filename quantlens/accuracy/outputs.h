// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

// How metrics find and read what they score; not for other modules.

/// "did you mean 'top1'?", or all there is where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

/// That the model has no output `wanted`.
Error no_output(const std::string& wanted, const std::vector<std::string>& names);

/// The output to score. The outputs of a model come without an order, so none is the first. Throws
/// Errc::usage, in the words of `metric`, where it must be named or is not there.
const std::pair<const std::string, Tensor>& chosen_output(const TensorMap& outputs,
                                                          const std::string& metric,
                                                          const std::string& wanted);

/// What the output says of sample `i`, as one axis. Throws Errc::bad_input where it does not divide
/// into the batch.
Tensor part_of(const std::string& name, const Tensor& output, std::size_t i, std::size_t batch);

std::vector<double> as_doubles(const Tensor& tensor);

}  // namespace quantlens
