// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// What a value of the quantized model stands for.
struct ValueMatch {
  std::size_t reference = 0;  ///< value of the reference
  /// Kinds, constants and all operands agree back to the graph's inputs, or to weights that agree.
  bool confirmed = false;
};

/// An op of the quantized model and the one of the reference that it computes.
struct OpMatch {
  std::size_t reference = 0;
  bool swapped = false;  ///< its two operands stand in the other order
  bool rewired = false;  ///< an operand stands for another value than the one that it reads
};

struct StructureMatch {
  std::vector<std::optional<ValueMatch>> values;  ///< by number of the quantized model's value
  std::vector<std::optional<OpMatch>> ops;        ///< likewise of its ops
  /// Ids of ops of the reference that are constants in one before; of one that nothing computes,
  /// all that can be.
  std::vector<std::string> folded;
};

/// Who is known to stand for whom before the graphs are looked at: (value of the quantized model,
/// value of the reference).
using Known = std::vector<std::pair<std::size_t, std::size_t>>;

/// Finds for the values and ops of a quantized model those of the reference that they stand for.
///
/// From the inputs of the graphs onwards, an op is matched with the op of its kind that reads
/// what its operands stand for, with constants that agree. Where that goes no further, it begins
/// anew at weights that are surely the same, at equal names that nothing contradicts, at the
/// outputs, and from there in both directions. An op may stand for a whole pattern: its output is
/// then the value that its readers read. Takes time in proportion to the graphs.
StructureMatch match_structure(const FloatView& reference, const FloatView& quantized,
                               const Known& known);

}  // namespace quantlens
