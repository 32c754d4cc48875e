// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/graph/order.h"

namespace quantlens {

/// Numbers of a node's inputs: a tensor of codes with its scale and zero point.
struct CodeInputs {
  std::size_t tensor = 0;
  std::optional<std::size_t> scale;
  std::optional<std::size_t> zero_point;
};

/// What an op on codes computes, and which of its inputs are data.
struct IntegerOp {
  Kind computes = Kind::other;       ///< the op on floats that it stands for
  std::vector<CodeInputs> operands;  ///< in the order in which `computes` has them
  std::optional<CodeInputs> output;  ///< scale and zero point of its output (`tensor`: unused)
  bool accumulates = false;          ///< gives int32 sums, whose scale is applied behind it
};

/// Nothing for an op that computes on floats, and for one whose inputs are too few.
std::optional<IntegerOp> integer_op(const Node& node);

/// Whether an op on floats has codes inside that are compared nowhere: of its table (an embedding
/// in blocks), or of its weights and what they are multiplied with (an integer LSTM).
bool has_codes_inside(const Node& node);

/// Whether an op on codes gives codes with the scale and zero point of its first input: it moves,
/// picks, limits or compares them only.
bool carries_codes(const Node& node);

/// Of those: every element stays in its channel, so that each may have a scale.
bool keeps_channels(const Node& node);

/// Whether nothing but its codes is made of a value: each of its readers is a QuantizeLinear, there
/// is one, and the graph does not give the value itself.
bool is_read_as_codes(const GraphIndex& index, const std::string& value);

}  // namespace quantlens
