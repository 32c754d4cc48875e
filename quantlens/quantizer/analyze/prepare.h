// quantizer: decides what becomes int8, how, and why not. Pure functions over values: reads graphs,
// ranges and a recipe, writes a Plan; no files, no runtime. Start with make_plan.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/folds.h"
#include "quantlens/quantizer/plan/input_edits.h"
#include "quantlens/record/plan.h"

namespace quantlens {

/// Ops that one quantized kernel replaces.
struct Pattern {
  std::size_t anchor = 0;            ///< node number of the compute op
  std::vector<std::size_t> members;  ///< anchor first, in order of flow
  std::optional<std::size_t> sum;    ///< of a MatMul: the member that adds to it and stays an op
};

/// An op whose constants another one has; both as people see them.
struct GoneOp {
  std::string name;
  std::string type;
  std::string into;
};

/// A model made ready for planning: what is folded, what belongs together.
struct Prepared {
  std::vector<Pattern> patterns;          ///< each node is in exactly one; in graph order
  Folds folds;                            ///< ops that disappear into one before (fold_chains.h)
  InputEdits input_edits;                 ///< inputs that now read one of `weights`
  std::map<std::string, Tensor> weights;  ///< folded float tensors by new name
  TensorMap constants;                    ///< values that are computed from constants alone
  /// MatMuls of matrices whose result an Add reads that is no part of their pattern. ONNX Runtime
  /// makes one float Gemm of both unless there are codes in between. And Gemms and MatMuls with a
  /// Relu or Clip right behind: with none behind that, it computes them in float.
  std::set<std::size_t> ends_in_codes;
  /// Ops that the given file has and this model, an edit of it, has no more: set by who edits it.
  std::vector<GoneOp> gone;
  /// Nodes that stay float as parts of a larger function, or before one that 8 bits would ruin,
  /// with the reason ("inside LayerNormalization").
  std::map<std::size_t, std::string> kept_float;
  const Capabilities* able = nullptr;  ///< what the model's runtime runs in int8
};

/// `constants`: of the values that nodes compute, those that need no input of the graph; they are
/// quantized as weights are, and `index` knows them.
Prepared prepare(const GraphIndex& index, TensorMap constants, const Capabilities& able);

/// The same model as a file has it in which these ops, by id, are part of one before, and no
/// others: another tool may fold less, and more.
Prepared prepare_like(const GraphIndex& index, TensorMap constants, const Capabilities& able,
                      const std::set<std::string>& folded);

/// The input of an Add that is a constant vector, one number for each column of the value in its
/// other input; nothing where there is none.
std::optional<std::size_t> bias_input(const GraphIndex& index, const Node& add);

/// The Add that is the bias of a MatMul's pattern; nothing where there is none.
std::optional<std::size_t> bias_add(const GraphIndex& index, const Pattern& pattern);

/// The float tensor that input `input` of `node` reads after preparation, or null where it is no
/// constant.
const Tensor* constant_input(const Prepared& prepared, const GraphIndex& index, const Node& node,
                             std::size_t input);

/// The same of the weight of an op with Operands; null of other ops, too.
const Tensor* constant_weight(const Prepared& prepared, const GraphIndex& index, const Node& node);

/// The name of what it reads there.
const std::string& name_of_input(const Prepared& prepared, const Node& node, std::size_t input);

}  // namespace quantlens
