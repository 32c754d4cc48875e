// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/diagnosis/verdict/found_cause.h"

namespace quantlens {

/// What bias correction would take away (M. Nagel et al., "Data-free quantization through weight
/// equalization and bias correction", 2019): rounding the weights shifts the means of the results'
/// channels, at many ops, by at least three tenths of the outputs' error. Its share is that of the
/// constants alone; they add up along the network, so it is a lower end. Nothing where one op makes
/// half of it or more, since that one has a cause of its own; where quantlens made the file with
/// corrected biases; and where the file has no static codes, since correction needs calibration.
std::optional<FoundCause> uncorrected_bias(const Evidence& evidence, const Model& quantized);

}  // namespace quantlens
