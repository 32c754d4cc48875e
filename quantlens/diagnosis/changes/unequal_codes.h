// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// Codes that are written with one scale and zero point and read, by one op or several, with
/// another.
struct UnequalCodes {
  std::size_t value = 0;           ///< of the view
  std::string tensor;              ///< of codes
  std::vector<std::size_t> nodes;  ///< those that compute with what is read; empty: an output
  bool by_all = false;             ///< every reader of the tensor reads them so
  Codes written, read;
};

/// Of a quantized model: every such tensor and each of the other figures that it is read with,
/// where they are constants, in order of flow.
std::vector<UnequalCodes> unequal_codes(const FloatView& view);

/// Adds the figures `<name>_scale` and `<name>_zero_point` of codes; where there are several, of
/// the first channel that differs from `other`, `<name>_channel`.
void add_params(const std::string& name, const Codes& codes, const Codes& other,
                Statement& statement);

/// Whether codes mean the same, but for the last digits of a scale.
bool mean_the_same(const Codes& a, const Codes& b);

}  // namespace quantlens
