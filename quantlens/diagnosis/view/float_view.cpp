// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/float_view.h"

#include <algorithm>
#include <set>
#include <utility>

#include "quantlens/diagnosis/view/block_weight.h"
#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

bool swaps_matrix_axes(const Node& node, const Tensor& tensor) {
  if (node.kind != Kind::transpose || tensor.shape().size() != 2) return false;
  const std::vector<std::int64_t>& order = permutation_of(node);
  return order.empty() || order == std::vector<std::int64_t>{1, 0};
}

}  // namespace

bool only_moves(const Node& node) {
  if (node.kind == Kind::cast) return casts_to_float(node);
  return node.kind == Kind::dropout || moves_elements(node.kind);
}

bool computes_with_codes(const FloatView& view, const FloatView::Op& op) {
  if (integer_op(view.node(op))) return true;
  return std::ranges::any_of(op.operands, [&](const FloatView::Operand& operand) {
    if (!operand.constant) return false;
    const FloatView::Constant& constant = view.constants()[*operand.constant];
    return constant.codes.has_value() || constant.blocks.has_value();
  });
}

/// Builds a view in one pass over the nodes, which are in order of flow.
class FloatView::Builder {
 public:
  explicit Builder(FloatView& view) : view_(view), index_(*view.index_) {}

  void build() {
    const Graph& graph = index_.graph();
    for (const ValueInfo& input : graph.inputs) {
      const std::size_t value = new_value(input.name);
      view_.values_[value].is_input = true;
      view_.values_[value].floats.push_back(input.name);
      describe(value, input);
      view_.inputs_.emplace_back(value);
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) add(i);
    for (const ValueInfo& output : graph.outputs) {
      const std::optional<std::size_t> value = view_.value_of(output.name);
      if (value) {
        view_.values_[*value].is_output = true;
        describe(*value, output);
      }
      view_.outputs_.push_back(value);
    }
  }

 private:
  // ---- tensors
  std::size_t new_value(const std::string& tensor) {
    const std::size_t number = view_.values_.size();
    view_.values_.emplace_back();
    view_.values_.back().root = number;
    view_.value_of_.emplace(tensor, number);
    return number;
  }

  /// What the file says of a value by any of its tensors; the first to say it is believed.
  void describe(std::size_t value, const ValueInfo& info) {
    Value& described = view_.values_[value];
    if (!described.shape) described.shape = info.shape;
    if (!described.dtype && info.dtype && !is_codes(info.name)) described.dtype = info.dtype;
  }
  void describe(std::size_t value, const std::string& tensor) {
    const auto known = index_.graph().values.find(tensor);
    if (known != index_.graph().values.end()) describe(value, known->second);
  }

  bool is_codes(const std::string& tensor) const { return codes_.contains(tensor); }

  void join(const std::string& tensor, std::size_t value) {
    view_.value_of_.emplace(tensor, value);
  }

  void add_float(const std::string& tensor, std::size_t value) {
    view_.values_[value].floats.push_back(tensor);
    describe(value, tensor);
  }

  void add_codes(const std::string& tensor, std::size_t value, Side side,
                 std::optional<Codes> codes, const std::string& obstacle) {
    codes_.emplace(tensor, codes);
    if (codes) codes->tensor = tensor;
    view_.values_[value].sides.push_back({.tensor = tensor,
                                          .side = side,
                                          .codes = codes,
                                          .obstacle = codes ? std::string() : obstacle});
    describe(value, tensor);
  }

  // ---- constants
  std::optional<std::size_t> constant(const std::string& tensor) {
    if (const auto known = constant_of_.find(tensor); known != constant_of_.end())
      return known->second;
    const Tensor* stored = index_.constant(tensor);
    if (stored == nullptr) return std::nullopt;
    return new_constant(tensor, {.name = tensor, .stored = stored, .codes = {}});
  }

  std::size_t new_constant(const std::string& tensor, Constant constant) {
    view_.constants_.push_back(std::move(constant));
    return constant_of_.emplace(tensor, view_.constants_.size() - 1).first->second;
  }

  /// An op on a constant whose result is that constant in another form.
  bool add_constant(const Node& node) {
    if (node.kind == Kind::constant) return true;
    if (node.inputs.empty() || node.outputs.empty()) return false;
    const std::optional<std::size_t> from = constant(node.inputs[0]);
    if (!from) return false;
    Constant made = view_.constants_[*from];
    const std::size_t rank = made.stored->shape().size();
    if (node.kind == Kind::quantize || node.kind == Kind::dequantize) {
      std::optional<Codes> codes = codes_of(index_, node, node.inputs[0], rank);
      if (!codes) return false;
      if (node.kind == Kind::quantize) {
        made.name = node.outputs[0];
        made.is_computed = true;
      }
      made.codes = std::move(codes);
      made.codes->tensor = made.name;
    } else if (node.kind == Kind::transpose && swaps_matrix_axes(node, *made.stored)) {
      made.transposed = !made.transposed;
    } else if (!only_moves(node) || node.kind == Kind::transpose) {
      return false;
    }
    new_constant(node.outputs[0], std::move(made));
    return true;
  }

  /// All that the node makes is known as constants of the index.
  bool is_computed_before(const Node& node) const {
    return !node.outputs.empty() && std::ranges::all_of(node.outputs, [&](const auto& tensor) {
      return tensor.empty() || index_.constant(tensor) != nullptr;
    });
  }

  // ---- nodes
  void add(std::size_t number) {
    const Node& node = index_.graph().nodes[number];
    if (is_computed_before(node) || add_constant(node) || add_scale(node)) return;
    const std::optional<std::size_t> first =
        node.inputs.empty() ? std::nullopt : view_.value_of(node.inputs[0]);
    switch (node.kind) {
      case Kind::quantize:
        if (first) return add_quantize(node, *first);
        break;
      case Kind::dequantize:
        if (first) return add_dequantize(node, *first);
        break;
      case Kind::dynamic_quantize:
        if (first) return add_dynamic_quantize(node, *first);
        break;
      case Kind::cast:
        if (first && sums_.contains(node.inputs[0])) return add_cast_of_sums(node, *first);
        break;
      case Kind::mul:
        if (add_rescaling(node)) return;
        break;
      default:
        break;
    }
    add_op(number, node);
  }

  void add_quantize(const Node& node, std::size_t value) {
    if (node.outputs.empty() || node.outputs[0].empty()) return;
    join(node.outputs[0], value);
    std::size_t rank = 0;
    if (view_.values_[value].shape) rank = view_.values_[value].shape->size();
    add_codes(node.outputs[0], value, Side::q_output, codes_of(index_, node, node.outputs[0], rank),
              "the scale of its codes is not constant");
  }

  void add_dequantize(const Node& node, std::size_t value) {
    if (node.outputs.empty() || node.outputs[0].empty()) return;
    join(node.outputs[0], value);
    add_float(node.outputs[0], value);
  }

  void add_dynamic_quantize(const Node& node, std::size_t value) {
    if (node.outputs.empty() || node.outputs[0].empty()) return;
    join(node.outputs[0], value);
    add_codes(
        node.outputs[0], value, Side::q_output, std::nullopt,
        "its codes are scaled anew for each input; only codes of constant scale are compared");
    if (node.outputs.size() > 1) scales_.insert(node.outputs[1]);
  }

  /// A scale of int32 sums, computed from that of dynamic codes.
  bool add_scale(const Node& node) {
    if (node.kind != Kind::mul || node.inputs.size() != 2 || node.outputs.empty()) return false;
    const auto is_scale = [&](const std::string& tensor) { return scales_.contains(tensor); };
    const bool any = is_scale(left_of(node)) || is_scale(right_of(node));
    const bool all = std::ranges::all_of(node.inputs, [&](const std::string& tensor) {
      return is_scale(tensor) || constant(tensor);
    });
    if (!any || !all) return false;
    scales_.insert(node.outputs[0]);
    for (const std::string& input : node.inputs) {
      if (const auto known = factor_.find(input); known != factor_.end())
        factor_[node.outputs[0]] = known->second;
      if (!is_scale(input)) factor_[node.outputs[0]] = input;
    }
    return true;
  }

  /// The weight of the op that makes `value` as sums: its scale is the constant factor in the scale
  /// of the sums.
  void dequantize_weight(std::size_t value, const std::string& scale) {
    const auto factor = factor_.find(scale);
    if (factor == factor_.end() || !view_.values_[value].producer) return;
    Op& op = view_.ops_[*view_.values_[value].producer];
    const Node& node = view_.node(op);
    const Constant* weight = view_.constant_weight(op);
    const std::optional<IntegerOp> integer = integer_op(node);
    if (weight == nullptr || !integer || weight->codes) return;
    Constant made = *weight;
    const int rank = static_cast<int>(made.stored->shape().size());
    made.codes =
        codes_with(index_,
                   {.scale = factor->second,
                    .zero_point = named(node, integer->operands.at(op.at.weight).zero_point),
                    .dtype = made.stored->dtype(),
                    .axis = node.kind == Kind::conv_integer ? 0 : std::max(0, rank - 1)},
                   made.name);
    view_.constants_.push_back(std::move(made));
    op.operands[op.at.weight].constant = view_.constants_.size() - 1;
  }

  void add_cast_of_sums(const Node& node, std::size_t value) {
    if (node.outputs.empty() || node.outputs[0].empty()) return;
    join(node.outputs[0], value);
    if (casts_to_float(node)) sums_.insert(node.outputs[0]);
  }

  /// Sums times their scale are the value that the sums stand for.
  bool add_rescaling(const Node& node) {
    if (node.inputs.size() != 2 || node.outputs.empty()) return false;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string& sums = node.inputs[side];
      const std::string& scale = node.inputs[1 - side];
      const bool again = rescaled_.contains(sums) && scales_.contains(scale);
      if (!sums_.contains(sums) && !again) continue;
      if (!scales_.contains(scale) && !constant(scale)) continue;
      const std::size_t value = *view_.value_of(sums);
      join(node.outputs[0], value);
      view_.values_[value].floats.clear();
      add_float(node.outputs[0], value);
      rescaled_.insert(node.outputs[0]);
      dequantize_weight(value, scale);
      return true;
    }
    return false;
  }

  /// The input of this number, if there is one.
  static std::string named(const Node& node, const std::optional<std::size_t>& input) {
    return input ? input_of(node, *input) : std::string();
  }

  void add_operand(Op& op, const std::string& tensor) {
    Operand operand;
    if (!tensor.empty()) {
      operand.value = view_.value_of(tensor);
      if (!operand.value) operand.constant = constant(tensor);
    }
    if (operand.value)
      view_.values_[*operand.value].readers.push_back({view_.ops_.size(), op.operands.size()});
    op.operands.push_back(operand);
  }

  /// A constant whose scale stands beside it.
  void add_code_operand(Op& op, const Node& node, const CodeInputs& from) {
    const std::string& tensor = node.inputs[from.tensor];
    if (view_.value_of(tensor)) return add_operand(op, tensor);
    if (const auto* matrix = role<roles::BlockMatrix>(node);
        matrix != nullptr && from.tensor == matrix->operands.codes) {
      if (auto blocks = block_weight(index_, node)) return add_blocks(op, tensor, *blocks);
    }
    const std::string scale = named(node, from.scale);
    const std::size_t stored = constant(tensor).value_or(view_.constants_.size());
    if (stored == view_.constants_.size() || scale.empty() || view_.constants_[stored].codes)
      return add_operand(op, tensor);
    Constant made = view_.constants_[stored];
    made.codes = codes_with(index_,
                            {.scale = scale,
                             .zero_point = named(node, from.zero_point),
                             .dtype = made.stored->dtype(),
                             .axis = scale_axis(node, *made.stored)},
                            tensor);
    view_.constants_.push_back(std::move(made));
    op.operands.push_back({.value = {}, .constant = view_.constants_.size() - 1});
  }

  void add_blocks(Op& op, const std::string& tensor, const BlockReader& blocks) {
    view_.constants_.push_back(
        {.name = tensor, .stored = index_.constant(tensor), .codes = {}, .blocks = blocks});
    op.operands.push_back({.value = {}, .constant = view_.constants_.size() - 1});
  }

  /// Of a weight with several scales.
  static int scale_axis(const Node& node, const Tensor& weight) {
    const int last = std::max(0, static_cast<int>(weight.shape().size()) - 1);
    if (node.kind == Kind::qconv) {
      const auto axes = weight_axes(node, weight.shape().size());
      return axes ? static_cast<int>(axes->output) : 0;
    }
    if (node.kind == Kind::qgemm && transposes_b(node)) return 0;
    return last;
  }

  void add_op(std::size_t number, const Node& node) {
    const std::optional<IntegerOp> integer = integer_op(node);
    Op op{.node = number, .kind = node.kind, .operands = {}, .outputs = {}};
    if (integer) {
      op.kind = integer->computes;
      op.accumulates = integer->accumulates;
      for (const CodeInputs& operand : integer->operands) add_code_operand(op, node, operand);
    } else {
      for (const std::string& input : node.inputs) add_operand(op, input);
      if (const roles::Operands* operands = operands_of(node)) op.at = *operands;
    }
    if (!node.subgraphs.empty()) {
      for (const std::string& tensor : captured_values(node)) add_operand(op, tensor);
    }
    view_.ops_.push_back(std::move(op));
    for (std::size_t k = 0; k < node.outputs.size(); ++k) add_output(node, k, integer);
  }

  void add_output(const Node& node, std::size_t k, const std::optional<IntegerOp>& integer) {
    Op& op = view_.ops_.back();
    const std::string& tensor = node.outputs[k];
    if (tensor.empty()) return op.outputs.push_back(std::nullopt);
    const std::size_t number = new_value(tensor);
    Value& value = view_.values_[number];
    op.outputs.emplace_back(number);
    value.producer = view_.ops_.size() - 1;
    value.is_constant =
        !op.operands.empty() && std::ranges::all_of(op.operands, [&](const Operand& operand) {
          return operand.value ? view_.values_[*operand.value].is_constant
                               : operand.constant.has_value();
        });
    value.output = k;
    if (k == 0 && only_moves(node) && op.operands[0].value)
      value.root = view_.values_[*op.operands[0].value].root;
    if (integer && integer->accumulates) {
      sums_.insert(tensor);
    } else if (integer && integer->output) {
      add_codes(tensor, number, Side::integer_output, declared(node, *integer),
                "the scale of its codes is not constant");
    } else if (!integer && !node.inputs.empty() && carries_codes(node) &&
               is_codes(node.inputs[0])) {
      add_carried_codes(node, tensor, number);
    } else {
      add_float(tensor, number);
    }
  }

  void add_carried_codes(const Node& node, const std::string& tensor, std::size_t number) {
    std::optional<Codes> codes = codes_.at(node.inputs[0]);
    std::string obstacle = "the scale of its codes is not constant";
    if (codes && codes->params.size() > 1 && !keeps_channels(node)) {
      codes.reset();
      obstacle = "its codes have a scale for each channel, and are moved";
    }
    add_codes(tensor, number, Side::integer_output, std::move(codes), obstacle);
  }

  std::optional<Codes> declared(const Node& node, const IntegerOp& integer) {
    DType dtype = DType::uint8;  // codes without a zero point are of the format that the op reads
    for (const CodeInputs& operand : integer.operands) {
      const auto known = codes_.find(node.inputs[operand.tensor]);
      if (known != codes_.end() && known->second) dtype = known->second->scheme.dtype;
    }
    return codes_with(index_,
                      {.scale = named(node, integer.output->scale),
                       .zero_point = named(node, integer.output->zero_point),
                       .dtype = dtype,
                       .axis = {}},
                      node.outputs[0]);
  }

  FloatView& view_;
  const GraphIndex& index_;
  std::unordered_map<std::string, std::size_t> constant_of_;
  std::unordered_map<std::string, std::optional<Codes>> codes_;  // of every tensor of codes
  std::set<std::string> scales_;                         // computed from those of dynamic codes
  std::unordered_map<std::string, std::string> factor_;  // of a scale: the constant part
  std::set<std::string> sums_;                           // int32, or cast from that
  std::set<std::string> rescaled_;                       // sums times a scale
};

FloatView::FloatView(const GraphIndex& index) : index_(&index) {
  Builder(*this).build();
}

std::optional<std::size_t> FloatView::value_of(const std::string& tensor) const {
  const auto found = value_of_.find(tensor);
  return found == value_of_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace quantlens
