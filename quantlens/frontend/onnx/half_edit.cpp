// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/half_edit.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/qdq_graph.h"
#include "quantlens/frontend/onnx/unread.h"
#include "quantlens/graph/half_inputs.h"
#include "quantlens/graph/order.h"
#include "quantlens/tensor/half.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kFloatType = 1, kFloat16 = 10;  // as ONNX numbers element types

Tensor as_half(const Tensor& tensor) {
  const Tensor values = aligned(tensor);
  const auto out = std::make_shared<std::vector<std::uint16_t>>();
  out->reserve(values.data<float>().size());
  for (const float value : values.data<float>()) out->push_back(half_from_float(value));
  return {DType::float16, tensor.shape(), std::as_bytes(std::span(*out)), out};
}

class HalfForm {
 public:
  HalfForm(const Model& model, const Plan& plan, PlanEdit& edit)
      : model_(model),
        graph_(model.graph),
        index_(model.graph),
        edit_(edit),
        qdq_(model.graph, edit),
        names_(names_of(model.graph, edit)) {
    for (const OpPlan& op : plan.ops) {
      if (op.form == OpForm::fp16) wanted_.insert(op.op.id);
    }
    for (std::size_t i = 0; i < qdq_.nodes().size(); ++i) {
      if (is_half(i)) continue;
      const EditedNode& edited = qdq_.nodes()[i];
      for (const auto* list : {&edited.node.inputs, &edited.captured}) {
        float_reads_.insert(list->begin(), list->end());
      }
    }
    for (const ValueInfo& output : graph_.outputs) float_reads_.insert(output.name);
  }

  void run() {
    for (std::size_t i = 0; i < qdq_.nodes().size(); ++i) {
      if (is_half(i)) convert(qdq_.nodes()[i]);
    }
    drop_unread(index_, edit_.edit);
  }

 private:
  bool is_half(std::size_t i) const {
    const EditedNode& edited = qdq_.nodes()[i];
    return edited.original && wanted_.contains(op_id(graph_.nodes[*edited.original]));
  }

  void convert(const EditedNode& edited) {
    const std::size_t number = *edited.original;
    const auto inputs = half_inputs(edited.node);
    if (!inputs) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: the plan computes '{}' in half, which it cannot; make it again",
                              printable(model_.path.string()), printable(op_name(edited.node))));
    }
    for (const std::size_t input : *inputs) {
      edit_.edit.inputs[number][input] = half_of(edited.node.inputs[input], number);
    }
    for (std::size_t k = 0; k < edited.node.outputs.size(); ++k) {
      const std::string& value = edited.node.outputs[k];
      if (value.empty()) continue;
      const std::string half = names_.take(value + "_fp16");
      halves_[value] = half;
      edit_.edit.outputs[number][k] = half;
      if (float_reads_.contains(value)) cast(number + 1, half, value, kFloatType);
    }
  }

  /// The value or constant as half: made, stored or cast once.
  std::string half_of(const std::string& value, std::size_t number) {
    const auto [found, is_new] = halves_.try_emplace(value);
    if (!is_new) return found->second;
    found->second = names_.take(value + "_fp16");
    if (const Tensor* constant = constant_of(value)) {
      edit_.weights.push_back({found->second, DType::float16, constant->shape(),
                               [tensor = *constant] { return as_half(tensor); }});
    } else {
      cast(number, value, found->second, kFloat16);
    }
    return found->second;
  }

  const Tensor* constant_of(const std::string& value) const {
    for (const auto& [name, tensor] : edit_.edit.weights) {
      if (name == value) return &tensor;
    }
    return index_.constant(value);
  }

  /// Before the first that stands there already: it may read what is cast.
  void cast(std::size_t at, const std::string& from, const std::string& to, std::int64_t type) {
    Node node;
    node.name = names_.take(to + "_Cast");
    node.type = "Cast";
    node.inputs = {from};
    node.outputs = {to};
    node.attributes["to"] = type;
    auto& inserted = edit_.edit.inserted;
    const bool leads = type == kFloatType;
    inserted.emplace_hint(leads ? inserted.lower_bound(at) : inserted.upper_bound(at), at,
                          std::move(node));
  }

  const Model& model_;
  const Graph& graph_;
  GraphIndex index_;
  PlanEdit& edit_;
  QdqGraph qdq_;
  FreeNames names_;
  std::set<std::string> wanted_;
  std::set<std::string> float_reads_;          ///< what others than half ops read
  std::map<std::string, std::string> halves_;  ///< by the name of the float
};

}  // namespace

bool has_half_ops(const Plan& plan) {
  return std::ranges::any_of(plan.ops, [](const OpPlan& op) { return op.form == OpForm::fp16; });
}

void use_half(const Model& model, const Plan& plan, PlanEdit& edit) {
  HalfForm(model, plan, edit).run();
}

}  // namespace quantlens::onnx
