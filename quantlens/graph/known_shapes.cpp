// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/known_shapes.h"

#include <algorithm>

#include "quantlens/graph/ranks.h"

namespace quantlens {

KnownShapes::KnownShapes(const GraphIndex& index) : index_(index), lists_(index) {
  for (const auto& [name, rank] : ranks(index)) known_.emplace(name, Dims(rank));
  const Graph& graph = index.graph();
  for (const ValueInfo& value : graph.inputs) declare(value);
  for (const ValueInfo& value : graph.outputs) declare(value);
  for (const auto& [name, value] : graph.values) declare(value);
}

void KnownShapes::declare(const ValueInfo& value) {
  if (value.shape) set(value.name, value.shape);
}

void KnownShapes::set(const std::string& value, const MaybeDims& shape) {
  if (value.empty() || !shape) return;
  Dims& known = known_.emplace(value, Dims(shape->size())).first->second;
  if (known.size() != shape->size()) return;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Dim& dim = (*shape)[i];
    if (!known[i].extent && (dim.extent || known[i].symbol.empty())) known[i] = dim;
  }
}

MaybeDims KnownShapes::shape(const std::string& value) const {
  if (const Tensor* tensor = index_.constant(value)) return shape_rules::dims_of(tensor->shape());
  const auto found = known_.find(value);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

MaybeDims KnownShapes::input(const Node& node, std::size_t number) const {
  return shape(input_of(node, number));
}

std::optional<std::vector<std::int64_t>> KnownShapes::numbers(const std::string& value) const {
  return constant_list(index_, value);
}

MaybeDims KnownShapes::list(const std::string& value) const {
  return lists_.of(value);
}

std::optional<std::vector<std::size_t>> places(const std::vector<std::int64_t>& axes,
                                               std::size_t rank) {
  std::vector<std::size_t> all;
  for (const std::int64_t axis : axes) {
    const auto number = shape_rules::axis_number(axis, rank);
    if (!number || std::ranges::find(all, *number) != all.end()) return std::nullopt;
    all.push_back(*number);
  }
  return all;
}

}  // namespace quantlens
