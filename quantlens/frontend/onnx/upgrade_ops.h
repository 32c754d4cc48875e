// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/frontend/onnx/names.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {

/// What is around the node that is rewritten, and what comes beside it.
class UpgradeContext {
 public:
  UpgradeContext(const GraphIndex& index, FreeNames& names);

  /// As far as the file says it; float32 where it does not.
  DType type_of(const std::string& value) const;
  std::optional<std::size_t> rank_of(const std::string& value) const;
  const Tensor* constant(const std::string& value) const { return index_.constant(value); }
  bool is_read(const std::string& value) const;

  /// A new weight, named after the node; its name.
  std::string add_weight(const Node& node, const std::string& what, Tensor tensor);
  std::string free_name(const std::string& wanted) { return names_.take(wanted); }

  std::vector<std::pair<std::string, Tensor>> weights;
  std::vector<Node> before, after;  ///< of the node at hand

 private:
  const GraphIndex& index_;
  FreeNames& names_;
  std::unordered_map<std::string, DType> types_;
  std::unordered_map<std::string, std::size_t> ranks_;
};

/// Rewrites a node for the version that a row stands for. Returns why that is not possible; nothing
/// where it is done.
using Rewrite = std::string (*)(UpgradeContext& context, Node& node);

/// An operator whose words changed with a version of the operator set.
struct UpgradeRow {
  std::string_view type;
  std::int64_t since;
  Rewrite rewrite;
};

/// In order of versions.
std::span<const UpgradeRow> upgrade_rows();

}  // namespace quantlens::onnx
