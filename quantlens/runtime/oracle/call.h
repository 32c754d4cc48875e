// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::oracle {

/// One evaluation of a node: what a kernel gets to see.
struct Call {
  const Node& node;
  std::int64_t opset = 0;             ///< version of the node's operator set
  std::vector<const Tensor*> inputs;  ///< aligned; null where an optional one is absent

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Tensor* optional(std::size_t i) const { return has(i) ? inputs[i] : nullptr; }
  /// Throws Errc::bad_input where the input is absent.
  const Tensor& input(std::size_t i) const;
  /// Whether the graph wants output i.
  bool wants(std::size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
};

/// The outputs of a node, by position; those nobody wants may be missing at the end.
using Results = std::vector<Tensor>;
using Kernel = Results (*)(const Call&);

/// Throw Errc::bad_input and Errc::unsupported; the interpreter adds which node it was.
[[noreturn]] void refuse(std::string_view problem);
[[noreturn]] void refuse_unknown(std::string_view problem);

std::optional<std::vector<std::int64_t>> ints(const Node& node, const std::string& key);

/// A list of integers that older operator sets have as attribute `key` and newer ones as an input.
std::optional<std::vector<std::int64_t>> ints(const Call& call, const std::string& key,
                                              std::size_t input);

}  // namespace quantlens::oracle
