// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What a node does in one run, as far as the shapes of its tensors tell.
struct Work {
  /// Of all its inputs and outputs, if each is read or written once. A Gather reads its indices
  /// and what it gives.
  std::optional<std::uint64_t> bytes;
  /// Convolutions, matrix products and recurrent cells: two for each multiplication and its
  /// addition. Element by element: one each, whatever it is. Moves do none. Absent for kinds whose
  /// arithmetic is not known.
  std::optional<std::uint64_t> operations;
  bool integer = false;  ///< arithmetic on codes
};

/// `types` knows the values that runs met; weights are the graph's own.
Work work_of(const Node& node, const Graph& graph, const ValueTypes& types);

/// "float32[1,64]"; empty where it is not known.
std::string type_text(const std::string& value, const Graph& graph, const ValueTypes& types);

}  // namespace quantlens
