// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/graph/shape_rules.h"

namespace quantlens {

/// The integers of a constant scalar or list; nothing of other values.
std::optional<std::vector<std::int64_t>> constant_list(const GraphIndex& index,
                                                       const std::string& value);

/// Values that hold extents, as models compute them to reshape others: lists of integers, taken
/// apart and joined anew.
class ShapeLists {
 public:
  explicit ShapeLists(const GraphIndex& index) : index_(index) {}

  /// The elements of a scalar or a list; nothing of other values. One that is not known is a Dim
  /// with neither number nor name.
  std::optional<Dims> of(const std::string& value) const;

  /// Looks at a node. REQUIRES: the nodes that make its inputs were looked at before.
  void add(const Node& node);

 private:
  std::optional<Dims> result(const Node& node) const;
  std::optional<Dims> joined(const Node& node) const;
  std::optional<Dims> picked(const Node& node) const;
  std::optional<Dims> sliced(const Node& node) const;

  const GraphIndex& index_;
  std::unordered_map<std::string, Dims> known_;
};

}  // namespace quantlens
