// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// Constants by which the quantized model multiplies a value, and the reference does not: what
/// SmoothQuant puts in front of a product, whose weight takes them back.
struct InputFactors {
  std::string name;             ///< of the stored tensor
  std::vector<float> factors;   ///< one a channel, or one; all above 0
  std::size_t axes_behind = 0;  ///< axes of the value behind that of its channels
  std::size_t data = 0;         ///< value of the view that is multiplied
};

/// Those that make a value of the quantized model, which is read as codes alone; nothing where an
/// op of the reference does (`ops`: who is matched, as in StructureMatch), or they are no positive
/// constants of one figure a channel.
std::optional<InputFactors> input_factors(const FloatView& quantized,
                                          std::span<const std::optional<OpMatch>> ops,
                                          std::size_t value);

/// Factors of what matched ops multiply by their weight in `operand`; nothing where there are none,
/// or what is multiplied is not what the reference's op reads.
std::optional<InputFactors> factors_of_weight(const FloatView& reference,
                                              const FloatView& quantized,
                                              const StructureMatch& match, std::size_t q,
                                              std::size_t operand);

/// A weight of an op as if it took back what its input is multiplied by: each of its input
/// channels times (`is_divided`: by) a factor. Nothing where they do not fit.
std::optional<Tensor> with_input_factors(const Node& op, std::size_t operand, const Tensor& weight,
                                         std::span<const float> factors, bool is_divided);

}  // namespace quantlens
