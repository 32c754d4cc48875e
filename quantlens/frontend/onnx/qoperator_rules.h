// Which op between codes is which integer operator: one row a kind, one small function a family.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/frontend/onnx/qdq_graph.h"

namespace quantlens::onnx {

/// One op of a graph with QuantizeLinear and DequantizeLinear, and which of its values are codes on
/// the other side of these.
struct Site {
  const Node& node;
  std::int64_t opset = 0;             ///< of ONNX's own operators
  std::vector<const Coded*> inputs;   ///< by position; null: absent, or a float
  std::vector<const Coded*> outputs;  ///< of those that are read; null: read as a float
  std::string bias;                   ///< a float vector that is added to the result; empty: none
};

/// The integer operator that does the op's work, without its outputs; nothing where none does, as
/// the op stands.
std::optional<Node> integer_op(const Site& site);

/// Whether the op itself may read and give the codes: it moves them, or picks among them, and the
/// runtime has it for 8-bit integers.
bool moves_codes(const Site& site);

/// Whether the codes mean the same numbers.
bool equal_parameters(const Coded& a, const Coded& b);

}  // namespace quantlens::onnx
