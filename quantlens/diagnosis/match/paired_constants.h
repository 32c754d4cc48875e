// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// A constant float input of an op without a weight, and what the quantized model's op has in its
/// place; float32, of one size.
struct PairedConstant {
  std::size_t node = 0;  ///< of the reference
  std::size_t input = 0;
  std::string value;  ///< the op's result
  Tensor after;       ///< of the shape that the reference has
};

/// Those of ops whose results were paired and that are ops of one kind in both models, where the
/// two tensors differ in elements that are finite in the reference.
std::vector<PairedConstant> paired_constants(const PairedModels& models);

}  // namespace quantlens
