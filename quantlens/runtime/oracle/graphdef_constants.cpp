// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/graphdef_constants.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/graph/roles_of.h"
#include "quantlens/runtime/oracle/constants.h"

namespace quantlens::oracle {
namespace {

constexpr std::int64_t kOpset = 13;

/// The interpreter's word for an op that computes the same of the same inputs; empty: none.
std::string_view word_of(const Node& node) {
  switch (node.kind) {
    case Kind::identity:
      return "Identity";
    case Kind::add:
      return "Add";
    case Kind::sub:
      return "Sub";
    case Kind::mul:
      return "Mul";
    case Kind::div:
      return "Div";
    case Kind::neg:
      return "Neg";
    case Kind::abs:
      return "Abs";
    case Kind::sqrt:
      return "Sqrt";
    case Kind::reciprocal:
      return "Reciprocal";
    case Kind::min:
      return "Min";
    case Kind::max:
      return "Max";
    case Kind::transpose:
      return "Transpose";
    case Kind::reshape:
      return "Reshape";
    case Kind::squeeze:
      return "Squeeze";
    default:
      return {};
  }
}

/// The model in the interpreter's words; what it has none for has no kind.
class Translation {
 public:
  explicit Translation(const Model& model) {
    model_.format = "onnx";
    model_.opsets[""] = kOpset;
    model_.graph.weights = model.graph.weights;
    for (const auto& [name, weight] : model.graph.weights) constants_.insert(name);
    for (const Node& node : model.graph.nodes) add(node);
    push("", Kind::other, made_, {});  // all of them are of interest
  }

  const Model& model() const { return model_; }

 private:
  bool is_constant(const Node& node) const {
    for (const std::string& input : node.inputs) {
      if (!constants_.contains(input)) return false;
    }
    return !node.inputs.empty() && node.outputs.size() == 1;
  }

  void push(std::string_view type, Kind kind, std::vector<std::string> inputs,
            std::vector<std::string> outputs, std::map<std::string, Attribute> attributes = {}) {
    model_.graph.nodes.push_back({.name = {},
                                  .type = std::string(type),
                                  .domain = {},
                                  .kind = kind,
                                  .inputs = std::move(inputs),
                                  .outputs = std::move(outputs),
                                  .attributes = std::move(attributes),
                                  .subgraphs = {}});
  }

  void add(const Node& node) {
    const bool is_root = node.kind == Kind::other && node.type == "Rsqrt";
    const bool is_square = node.kind == Kind::other && node.type == "Square";
    const std::string_view word = word_of(node);
    if (!is_constant(node) || (word.empty() && !is_root && !is_square))
      return push("", Kind::other, node.inputs, node.outputs);
    constants_.insert(node.outputs[0]);
    made_.push_back(node.outputs[0]);
    if (is_root) {
      // Such a name is no node's: TensorFlow's have no brackets.
      const std::string inner = node.outputs[0] + "[sqrt]";
      push("Sqrt", Kind::sqrt, node.inputs, {inner});
      return push("Reciprocal", Kind::reciprocal, {inner}, node.outputs);
    }
    if (is_square) return push("Mul", Kind::mul, {node.inputs[0], node.inputs[0]}, node.outputs);
    std::map<std::string, Attribute> attributes;
    std::vector<std::string> inputs = node.inputs;
    if (node.kind == Kind::transpose) {
      attributes.emplace("perm", permutation_of(node));
      inputs.resize(1);
    } else if (node.kind == Kind::reshape) {
      attributes.emplace("allowzero", std::int64_t{1});
    } else if (const auto* named = role<roles::NamedAxes>(node); named != nullptr) {
      if (!named->axes.empty()) attributes.emplace("axes", named->axes);
    }
    push(word, node.kind, std::move(inputs), node.outputs, std::move(attributes));
  }

  Model model_;
  std::unordered_set<std::string> constants_;
  std::vector<std::string> made_;
};

}  // namespace

TensorMap graphdef_constants(const Model& model, std::uint64_t most_bytes) {
  return constant_values(Translation(model).model(), most_bytes);
}

}  // namespace quantlens::oracle
