// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "quantlens/graph/model.h"

namespace quantlens::onnx {

/// Names that are still free in a graph and the graphs in it.
class FreeNames {
 public:
  explicit FreeNames(const Graph& graph) { add(graph); }
  /// `wanted`, or where that is taken `wanted_1`, `wanted_2`, …; taken from now on.
  std::string take(const std::string& wanted);

 private:
  void add(const Graph& graph);

  std::unordered_set<std::string> taken_;
};

}  // namespace quantlens::onnx
