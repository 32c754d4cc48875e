// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/dynamic_edit.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/qdq_graph.h"
#include "quantlens/frontend/onnx/unread.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kFloat32 = 1;  // as ONNX numbers element types

/// Bytes with the last two axes swapped.
Tensor turned(const Tensor& codes) {
  const std::size_t rank = codes.shape().size();
  Shape shape = codes.shape();
  std::swap(shape[rank - 1], shape[rank - 2]);
  const auto rows = static_cast<std::size_t>(codes.shape()[rank - 2]);
  const auto columns = static_cast<std::size_t>(codes.shape()[rank - 1]);
  const Bytes from = codes.bytes();
  const auto to = std::make_shared<std::vector<std::byte>>(from.size());
  for (std::size_t base = 0; base < from.size(); base += rows * columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        (*to)[base + c * rows + r] = from[base + r * columns + c];
      }
    }
  }
  return {codes.dtype(), std::move(shape), *to, to};
}

bool all_equal(const Tensor& codes) {
  return std::ranges::adjacent_find(codes.bytes(), std::not_equal_to()) == codes.bytes().end();
}

class DynamicForm {
 public:
  DynamicForm(const Model& model, const Plan& plan, PlanEdit& edit)
      : model_(model),
        graph_(model.graph),
        index_(model.graph),
        plan_(plan),
        edit_(edit),
        qdq_(model.graph, edit),
        names_(names_of(model.graph, edit)) {}

  void run() {
    std::set<std::string> dynamic;
    for (const OpPlan& op : plan_.ops) {
      if (op.form == OpForm::dynamic) dynamic.insert(op.op.id);
    }
    for (const EditedNode& edited : qdq_.nodes()) {
      if (!edited.original) continue;
      if (dynamic.contains(op_id(graph_.nodes[*edited.original]))) convert(edited);
    }
    drop_unread(index_, edit_.edit);
  }

 private:
  [[noreturn]] void fail(const Node& node) const {
    throw Error(Errc::bad_input,
                fmt::format("{}: the plan makes '{}' dynamic, which it cannot be; make it again",
                            printable(model_.path.string()), printable(op_name(node))));
  }

  void convert(const EditedNode& edited) {
    const std::size_t number = *edited.original;
    at_ = number;
    if (edited.node.kind == Kind::recurrent) {
      add_lstm(edited.node);
    } else {
      add_product(edited.node);
    }
    edit_.edit.removed.insert(number);
  }

  Node& insert(const std::string& type, std::vector<std::string> inputs,
               std::vector<std::string> outputs, const std::string& name) {
    Node node;
    node.name = names_.take(name);
    node.type = type;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return edit_.edit.inserted.emplace(at_, std::move(node))->second;
  }

  /// Names of what DynamicQuantizeLinear makes of a value.
  struct DynamicCodes {
    std::string codes, scale, zero_point;
  };
  /// Once a value: ahead of the first op that reads it.
  const DynamicCodes& quantized(const std::string& value) {
    const auto [found, is_new] = quantized_.try_emplace(value);
    DynamicCodes& made = found->second;
    if (is_new) {
      made = {names_.take(value + "_quantized"), names_.take(value + "_scale"),
              names_.take(value + "_zero_point")};
      insert("DynamicQuantizeLinear", {value}, {made.codes, made.scale, made.zero_point},
             value + "_DynamicQuantizeLinear");
    }
    return made;
  }

  Coded weight_of(const Node& node, std::size_t input) const {
    std::optional<Coded> weight;
    if (input < node.inputs.size()) weight = qdq_.dequantized_from(node.inputs[input]);
    if (!weight || !weight->shape || byte_size(weight->dtype()) != 1) fail(node);
    return std::move(*weight);
  }

  /// The integer tensor lies turned in the file, since the kernel does not transpose.
  void turn(const std::string& tensor) {
    if (!turned_.insert(tensor).second) return;
    const auto weight = std::ranges::find(edit_.weights, tensor, &NewWeight::name);
    Shape& shape = weight->shape;
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    weight->make = [make = std::move(weight->make)] { return turned(make()); };
  }

  std::string add_weight(const std::string& wanted, Tensor tensor) {
    std::string name = names_.take(wanted);
    edit_.edit.weights.emplace_back(name, std::move(tensor));
    return name;
  }

  /// A vector that is read with another shape: one tensor for each.
  std::string reshaped(const std::string& vector, const Tensor& tensor, Shape shape) {
    const auto [found, is_new] = reshaped_.try_emplace({vector, shape});
    if (is_new) {
      found->second =
          add_weight(vector + "_reshaped", Tensor(tensor.dtype(), std::move(shape), tensor.bytes(),
                                                  std::make_shared<Tensor>(tensor)));
    }
    return found->second;
  }

  /// Nothing where all are zero, as kernels take it then; one number where all are equal.
  std::string zero_point(const Coded& weight) {
    if (!all_equal(weight.zero_points)) return weight.zero_point;
    if (to_int64(weight.zero_points)[0] == 0) return {};
    if (weight.zero_points.shape().empty()) return weight.zero_point;
    const auto [found, is_new] = single_.try_emplace(weight.zero_point);
    if (is_new) {
      const auto owner = std::make_shared<Tensor>(weight.zero_points);
      found->second = add_weight(weight.zero_point + "_single",
                                 Tensor(owner->dtype(), {}, owner->bytes().first(1), owner));
    }
    return found->second;
  }

  /// [1, ..., 1, C, 1, ..., 1] for channels at axis 1 of a convolution's result, without the first.
  static Shape per_channel(std::int64_t channels, std::size_t rank) {
    Shape shape(rank - 1, 1);
    shape[0] = channels;
    return shape;
  }

  const Tensor& vector_of(const Node& node, const std::string& name) const {
    for (const auto& [known, tensor] : edit_.edit.weights) {
      if (known == name) return tensor;
    }
    const Tensor* tensor = index_.constant(name);
    if (tensor == nullptr) fail(node);
    return *tensor;
  }

  /// MatMul, Gemm and Conv: sums of products, then their scale, then what is added.
  void add_product(const Node& node) {
    const bool is_conv = node.kind == Kind::conv;
    const Coded weight = weight_of(node, 1);
    const std::size_t rank = weight.shape->size();
    if (node.kind == Kind::gemm && attribute_int(node, "transB", 0) != 0) turn(weight.tensor);
    const DynamicCodes& data = quantized(node.inputs[0]);
    const std::string& result = node.outputs[0];
    const std::string sums = names_.take(result + "_sums");
    std::vector<std::string> inputs{data.codes, weight.tensor, data.zero_point};
    if (const std::string zero = zero_point(weight); !zero.empty()) inputs.push_back(zero);
    Node& product = insert(is_conv ? "ConvInteger" : "MatMulInteger", std::move(inputs), {sums},
                           op_name(node) + "_integer");
    if (is_conv) product.attributes = node.attributes;

    std::string weight_scale = weight.scale;
    if (is_conv && weight.axis) {
      weight_scale = reshaped(weight.scale, weight.scales, per_channel(weight.scales.size(), rank));
    }
    const std::string as_float = names_.take(result + "_sums_float");
    insert("Cast", {sums}, {as_float}, op_name(node) + "_cast").attributes["to"] = kFloat32;
    const std::string scale = names_.take(result + "_scale");
    insert("Mul", {data.scale, weight_scale}, {scale}, op_name(node) + "_scales");
    const bool adds = node.inputs.size() > 2 && !node.inputs[2].empty();
    const std::string scaled = adds ? names_.take(result + "_product") : result;
    insert("Mul", {as_float, scale}, {scaled}, op_name(node) + "_rescale");
    if (!adds) return;
    std::string bias = node.inputs[2];
    if (is_conv) {
      const Tensor values = vector_of(node, bias);
      bias = reshaped(bias, values, per_channel(values.size(), rank));
    }
    insert("Add", {scaled, bias}, {result}, op_name(node) + "_bias");
  }

  /// Scale or zero point of all gates for each direction.
  std::string for_directions(const std::string& name, const Tensor& each, std::int64_t directions) {
    const bool is_vector = !each.shape().empty();
    Shape shape{directions};
    if (is_vector) shape.push_back(each.size());
    const auto bytes = std::make_shared<std::vector<std::byte>>();
    for (std::int64_t d = 0; d < directions; ++d)
      bytes->insert(bytes->end(), each.bytes().begin(), each.bytes().end());
    return add_weight(name + "_directions", Tensor(each.dtype(), std::move(shape), *bytes, bytes));
  }

  void add_lstm(const Node& node) {
    constexpr std::size_t kInputs = 8;  // X, W, R, B, lengths, two states, peepholes
    std::vector<std::string> inputs = node.inputs;
    inputs.resize(kInputs);
    for (const std::size_t input : {1, 2}) {
      const Coded weight = weight_of(node, input);
      turn(weight.tensor);
      inputs[input] = weight.tensor;
      const std::int64_t directions = (*weight.shape)[0];
      inputs.push_back(for_directions(weight.scale, weight.scales, directions));
      inputs.push_back(for_directions(weight.zero_point, weight.zero_points, directions));
    }
    Node& lstm = insert("DynamicQuantizeLSTM", std::move(inputs), node.outputs, op_name(node));
    lstm.domain = kMicrosoftDomain;
    lstm.attributes = node.attributes;
    lstm.attributes.erase("layout");
    edit_.edit.opsets[kMicrosoftDomain] = 1;
  }

  const Model& model_;
  const Graph& graph_;
  GraphIndex index_;
  const Plan& plan_;
  PlanEdit& edit_;
  QdqGraph qdq_;
  FreeNames names_;
  std::size_t at_ = 0;  ///< the node that new ones stand before
  std::map<std::string, DynamicCodes> quantized_;
  std::set<std::string> turned_;
  std::map<std::pair<std::string, Shape>, std::string> reshaped_;
  std::map<std::string, std::string> single_;  ///< of equal zero points
};

}  // namespace

bool has_dynamic_ops(const Plan& plan) {
  return std::ranges::any_of(plan.ops, [](const OpPlan& op) { return op.form == OpForm::dynamic; });
}

void use_dynamic_operators(const Model& model, const Plan& plan, PlanEdit& edit) {
  DynamicForm(model, plan, edit).run();
}

}  // namespace quantlens::onnx
