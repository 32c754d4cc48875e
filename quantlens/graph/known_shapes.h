// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/graph/shape_lists.h"
#include "quantlens/graph/shapes.h"

namespace quantlens {

/// Nothing: not even the number of dimensions is known.
using MaybeDims = std::optional<Dims>;

/// What is known of the shapes of a graph on a walk over its nodes. Views the index.
class KnownShapes {
 public:
  /// Begins with what the file says.
  explicit KnownShapes(const GraphIndex& index);

  /// What is known already stays, but that a number says more than a name.
  void set(const std::string& value, const MaybeDims& shape);
  /// To be called of each node, once its results are set.
  void looked_at(const Node& node) { lists_.add(node); }

  const GraphIndex& index() const { return index_; }
  MaybeDims shape(const std::string& value) const;
  MaybeDims input(const Node& node, std::size_t number) const;
  /// The elements of a value where these are constants.
  std::optional<std::vector<std::int64_t>> numbers(const std::string& value) const;
  /// The elements of a value that holds extents (shape_lists.h).
  MaybeDims list(const std::string& value) const;

  Shapes take() { return std::move(known_); }

 private:
  void declare(const ValueInfo& value);

  const GraphIndex& index_;
  ShapeLists lists_;
  Shapes known_;
};

/// `axes` as places in a shape of this many dimensions; nothing where one is none, or named twice.
std::optional<std::vector<std::size_t>> places(const std::vector<std::int64_t>& axes,
                                               std::size_t rank);

/// The shape of the first result of an op that moves elements, leaves some of them out or adds
/// some, or that computes over whole axes; nothing of others.
MaybeDims moved_shape(const KnownShapes& known, const Node& node);

}  // namespace quantlens
