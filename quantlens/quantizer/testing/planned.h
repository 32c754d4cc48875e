// What tests of this folder plan with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "quantlens/graph/indexed.h"
#include "quantlens/quantizer/plan/make_plan.h"

namespace quantlens {

/// Of a graph in which nothing but stored tensors is constant.
inline Prepared prepare(const Graph& graph) {
  return prepare(GraphIndex(graph), {}, capabilities_of("onnx"));
}

/// A model of one's own, a recipe, and all that is looked up for planning.
class Planned {
 public:
  explicit Planned(Model of, Recipe recipe = {})
      : model_(std::move(of)),
        indexed_(model_, {}),
        analyzed(indexed_),
        draft(analyzed, std::move(recipe)) {}
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

 private:
  Model model_;
  Indexed indexed_;

 public:
  Analyzed analyzed;
  Draft draft;
};

}  // namespace quantlens
