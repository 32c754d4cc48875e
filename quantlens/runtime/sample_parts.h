// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quantlens/quant/params.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/tensor/shape.h"

namespace quantlens {

// What one sample contributes to a value of a batch; for Accumulators alone.

/// How a value falls into the batch's samples: sample s owns, for each of `outer` rows, the `run`
/// elements from (row * samples + s) * run on.
struct SampleParts {
  std::size_t samples = 1;
  std::size_t outer = 1;
  std::size_t run = 0;
  Shape sample_shape;  ///< of one sample's part

  std::size_t size() const { return outer * run; }
  /// First element of a row of sample `s`.
  std::size_t begin(std::size_t s, std::size_t row) const { return (row * samples + s) * run; }
};

/// Throws Errc::bad_input, naming the value, where the axis does not divide by the batch; one
/// sample alone owns the whole value, whatever its shape.
SampleParts parts_of(const TensorView& value, std::size_t samples, int sample_axis,
                     const std::string& name);

/// The elements of sample `s` as float32, codes dequantized by `params` if given: where they lie if
/// they lie together, else in `buffer`, which grows. Throws Errc::bad_input for strings.
std::span<const float> floats_of(const TensorView& value, const SampleParts& parts, std::size_t s,
                                 const QParams* params, std::vector<float>& buffer);

/// The 8-bit codes of sample `s`, likewise. REQUIRES: a value of that type.
std::span<const std::uint8_t> codes_of(const TensorView& value, const SampleParts& parts,
                                       std::size_t s, std::vector<std::uint8_t>& buffer);

}  // namespace quantlens
