// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/qoperator_edit.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/names.h"
#include "quantlens/frontend/onnx/qdq_graph.h"
#include "quantlens/frontend/onnx/qoperator_rules.h"
#include "quantlens/frontend/onnx/schemes.h"
#include "quantlens/frontend/onnx/unread.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/quant/params.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kIntegerClipOpset = 12;  // the first whose Clip takes 8-bit integers
constexpr std::size_t kMostExamples = 3;

/// The bounds as codes: rounding keeps the order of numbers, so the codes may be clipped instead.
CodeRange code_bounds(const ClipBounds& bounds, const Coded& codes) {
  const QParams params{.scale = codes.scales.data<float>()[0],
                       .zero_point = static_cast<std::int32_t>(to_int64(codes.zero_points)[0])};
  return {quantize(bounds.low, params, codes.dtype()),
          quantize(bounds.high, params, codes.dtype())};
}

/// How an op's result becomes codes.
struct Tail {
  Coded codes;
  std::size_t quantize = 0;
  std::optional<std::size_t> clip;  ///< a Relu or Clip in between
  CodeRange bounds;                 ///< its, where there is one

  /// Whether saturation does not do all of its work.
  bool clips() const { return clip && bounds != code_limits(codes.dtype()); }
};

class IntegerForm {
 public:
  IntegerForm(const Model& model, PlanEdit& edit)
      : graph_(model.graph),
        index_(model.graph),
        ranks_(ranks(index_)),
        edit_(edit.edit),
        qdq_(model.graph, edit),
        names_(names_of(model.graph, edit)),
        gone_(qdq_.nodes().size()),
        replaced_by_(qdq_.nodes().size()) {
    const auto found = model.opsets.find("");
    opset_ = found == model.opsets.end() ? 0 : found->second;
  }

  /// Gives the ops that compute on codes now.
  std::set<std::string> run() {
    for (std::size_t i = 0; i < gone_.size(); ++i) {
      if (!gone_[i] && replaced_by_[i].empty() && is_plain(at(i))) convert(i);
    }
    write_nodes();
    drop_unread(index_, edit_);
    return std::move(integer_);
  }

 private:
  const EditedNode& at(std::size_t i) const { return qdq_.nodes()[i]; }

  /// One of ONNX's own ops in the model, with inputs and outputs.
  static bool is_plain(const EditedNode& edited) {
    const Node& node = edited.node;
    return edited.original && node.domain.empty() && !node.inputs.empty() && !node.outputs.empty();
  }

  void convert(std::size_t i) {
    const Node& node = at(i).node;
    std::vector<std::optional<Coded>> inputs;
    std::vector<std::optional<Tail>> tails;
    Site site{.node = node, .opset = opset_, .inputs = {}, .outputs = {}, .bias = ""};
    for (const std::string& input : node.inputs) inputs.push_back(qdq_.dequantized_from(input));
    for (const std::string& output : node.outputs) {
      if (qdq_.is_read(output)) tails.push_back(tail(output));
    }
    for (const auto& codes : inputs) site.inputs.push_back(codes ? &*codes : nullptr);
    for (const auto& one : tails) site.outputs.push_back(one ? &one->codes : nullptr);
    if (tails.empty()) return;

    const auto clips = [](const auto& tail) { return tail && tail->clip; };
    if (moves_codes(site) && std::ranges::none_of(tails, clips)) {
      return move(i, site.inputs[0]->tensor, tails);
    }
    if (node.outputs.size() != 1) return;
    if (bounds_of(at(i))) return clip_codes(i, site, tails[0]);
    const auto bias = tails[0] ? std::nullopt : bias_behind(i);
    std::optional<std::size_t> add;
    if (bias && convert_as_gemm(i, *bias)) return;
    if (bias && !bias->is_row) site.bias = bias->value, add = bias->add;
    if (auto op = integer_op(site)) replace(i, std::move(*op), tails[0], add);
  }

  std::optional<Tail> tail(const std::string& value) const {
    if (auto direct = qdq_.quantized_to(value)) {
      return Tail{.codes = direct->codes, .quantize = direct->node, .clip = {}, .bounds = {}};
    }
    const auto reader = qdq_.only_reader(value);
    const auto bounds = reader ? bounds_of(at(*reader)) : std::nullopt;
    if (!bounds || at(*reader).node.inputs[0] != value) return std::nullopt;
    const auto behind = qdq_.quantized_to(at(*reader).node.outputs[0]);
    if (!behind || behind->codes.scales.size() != 1) return std::nullopt;
    Tail tail{.codes = behind->codes,
              .quantize = behind->node,
              .clip = reader,
              .bounds = code_bounds(*bounds, behind->codes)};
    if (tail.clips() && opset_ < kIntegerClipOpset) return std::nullopt;
    return tail;
  }

  /// What a Relu or Clip lets through, where that is known.
  std::optional<ClipBounds> bounds_of(const EditedNode& edited) const {
    const Node& node = edited.node;
    if (!is_plain(edited)) return std::nullopt;
    if (node.kind == Kind::relu) return ClipBounds{.low = 0};
    const std::optional<ClipBounds> bounds = clip_bounds(index_, node);
    return bounds && bounds->low <= bounds->high ? bounds : std::nullopt;
  }

  /// A vector with one element a column that is added to a MatMul's result.
  struct Bias {
    std::size_t add = 0;
    std::string value;
    bool is_integer = false;  ///< dequantized from int32
    bool is_row = false;      ///< of a matrix, which only a Gemm takes
  };
  std::optional<Bias> bias_behind(std::size_t i) const {
    const Node& node = at(i).node;
    if (node.kind != Kind::matmul || node.inputs.size() != 2) return std::nullopt;
    const auto reader = qdq_.only_reader(node.outputs[0]);
    if (!reader || !is_plain(at(*reader))) return std::nullopt;
    const Node& add = at(*reader).node;
    if (add.kind != Kind::add || add.inputs.size() != 2) return std::nullopt;
    const std::string& value = add.inputs[add.inputs[0] == node.outputs[0] ? 1 : 0];
    const auto weight = qdq_.dequantized_from(node.inputs[1]);
    if (!weight || !weight->shape || weight->shape->size() != 2) return std::nullopt;
    const Shape columns{(*weight->shape)[1]};
    const auto codes = qdq_.dequantized_from(value);
    const Shape row{1, columns[0]};
    if (codes && codes->dtype() == DType::int32 &&
        (codes->shape == columns || codes->shape == row)) {
      const bool is_row = codes->shape == row;
      return Bias{.add = *reader, .value = value, .is_integer = true, .is_row = is_row};
    }
    const Tensor* bias = index_.constant(value);
    if (bias == nullptr || bias->dtype() != DType::float32 || bias->shape() != columns) return {};
    return Bias{.add = *reader, .value = value};
  }

  /// A MatMul of two matrices and the Add of its integer bias are a Gemm.
  bool convert_as_gemm(std::size_t i, const Bias& bias) {
    const auto rank = ranks_.find(graph_.nodes[*at(i).original].inputs[0]);
    if (!bias.is_integer || rank == ranks_.end() || rank->second != 2) return false;
    Node gemm = at(i).node;
    gemm.kind = Kind::gemm;
    gemm.inputs.push_back(bias.value);
    std::vector<std::optional<Coded>> inputs;
    for (const std::string& input : gemm.inputs) inputs.push_back(qdq_.dequantized_from(input));
    const auto behind = tail(at(bias.add).node.outputs[0]);
    Site site{.node = gemm, .opset = opset_, .inputs = {}, .outputs = {}, .bias = ""};
    for (const auto& codes : inputs) site.inputs.push_back(codes ? &*codes : nullptr);
    site.outputs = {behind ? &behind->codes : nullptr};
    auto op = integer_op(site);
    if (op) replace(i, std::move(*op), behind, bias.add);
    return op.has_value();
  }

  /// The op stays, and reads and gives codes.
  void move(std::size_t i, const std::string& codes,
            const std::vector<std::optional<Tail>>& tails) {
    const std::size_t number = *at(i).original;
    const std::vector<std::string>& outputs = at(i).node.outputs;
    edit_.inputs[number][0] = codes;
    auto tail = tails.begin();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (!qdq_.is_read(outputs[k])) continue;
      edit_.outputs[number][k] = (*tail)->codes.tensor;
      gone_[(*tail)->quantize] = true;
      ++tail;
    }
    integer_.insert(op_id(graph_.nodes[number]));
  }

  /// A Relu or Clip by itself, between codes that mean the same numbers.
  void clip_codes(std::size_t i, const Site& site, const std::optional<Tail>& tail) {
    const Coded* from = site.inputs[0];
    if (opset_ < kIntegerClipOpset || from == nullptr || !tail || tail->clip) return;
    if (from->scales.size() != 1 || !equal_parameters(*from, tail->codes)) return;
    const CodeRange bounds = code_bounds(*bounds_of(at(i)), *from);
    replace(i, integer_clip(at(i).node, from->tensor, *from, bounds), tail, {});
  }

  Node integer_clip(const Node& old, const std::string& from, const Coded& codes,
                    const CodeRange& bounds) {
    Node node;
    node.name = old.name;
    node.type = "Clip";
    node.inputs = {from};
    const auto add = [&](const char* end, std::int64_t bound) {
      node.inputs.push_back(names_.take(codes.tensor + end));
      edit_.weights.emplace_back(
          node.inputs.back(),
          codes_tensor(codes.dtype(), {}, std::array{static_cast<std::int32_t>(bound)}));
    };
    add("_min", bounds.min);
    add("_max", bounds.max);
    return node;
  }

  /// `op` makes what the tail or the Add made, which go. It stands where the Add stood: its bias
  /// may be made just before that.
  void replace(std::size_t i, Node op, const std::optional<Tail>& tail,
               const std::optional<std::size_t>& add) {
    std::vector<Node>& nodes = replaced_by_[add.value_or(i)];
    if (op.domain == kMicrosoftDomain) edit_.opsets[kMicrosoftDomain] = 1;
    if (add) gone_[i] = true;
    if (!tail) {
      op.outputs = at(add.value_or(i)).node.outputs;
      nodes.push_back(std::move(op));
    } else if (tail->clips()) {
      op.outputs = {names_.take(tail->codes.tensor + "_unclipped")};
      nodes.push_back(std::move(op));
      nodes.push_back(
          integer_clip(at(*tail->clip).node, nodes[0].outputs[0], tail->codes, tail->bounds));
      nodes[1].outputs = {tail->codes.tensor};
    } else {
      op.outputs = {tail->codes.tensor};
      nodes.push_back(std::move(op));
    }
    if (tail) gone_[tail->quantize] = true;
    if (tail && tail->clip) gone_[*tail->clip] = true;
    integer_.insert(op_id(graph_.nodes[*at(i).original]));
  }

  void write_nodes() {
    edit_.inserted.clear();
    for (std::size_t i = 0; i < gone_.size(); ++i) {
      const EditedNode& edited = at(i);
      if (!edited.original && !gone_[i]) edit_.inserted.emplace(edited.before, edited.node);
      if (!edited.original || (!gone_[i] && replaced_by_[i].empty())) continue;
      edit_.removed.insert(*edited.original);
      for (const Node& node : replaced_by_[i]) edit_.inserted.emplace(*edited.original, node);
    }
  }

  const Graph& graph_;
  GraphIndex index_;
  std::unordered_map<std::string, std::size_t> ranks_;
  Edit& edit_;
  QdqGraph qdq_;
  FreeNames names_;
  std::int64_t opset_ = 0;
  std::vector<bool> gone_;                      ///< by node of `qdq_`
  std::vector<std::vector<Node>> replaced_by_;  ///< by node of `qdq_`
  std::set<std::string> integer_;               ///< ops that compute on codes
};

/// What the plan quantizes, and the format has no integer operator for: names by type.
std::vector<std::string> notes_on(const Plan& plan, const std::set<std::string>& integer) {
  std::map<std::string, std::vector<std::string>> left;
  for (const OpPlan& op : plan.ops) {
    const bool is_anchor = !op.members.empty() && op.members[0] == op.op.id;
    if (op.quantized && is_anchor && !integer.contains(op.op.id))
      left[op.type].push_back(op.op.name);
  }
  std::vector<std::string> notes;
  for (const auto& [type, names] : left) {
    std::vector<std::string> examples;
    for (const std::string& name : names) {
      if (examples.size() < kMostExamples) examples.push_back(printable(name));
    }
    if (names.size() > examples.size()) examples.emplace_back("...");
    notes.push_back(fmt::format(
        "qoperator: without an integer operator, computed in float between DequantizeLinear and "
        "QuantizeLinear: {} of type {} ({})",
        names.size(), printable(type), fmt::join(examples, ", ")));
  }
  return notes;
}

}  // namespace

void use_integer_operators(const Model& model, const Plan& plan, PlanEdit& edit) {
  const std::set<std::string> integer = IntegerForm(model, edit).run();
  edit.notes = notes_on(plan, integer);
}

}  // namespace quantlens::onnx
