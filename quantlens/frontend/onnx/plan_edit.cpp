// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/plan_edit.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/block_edit.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/dynamic_edit.h"
#include "quantlens/frontend/onnx/half_edit.h"
#include "quantlens/frontend/onnx/names.h"
#include "quantlens/frontend/onnx/qoperator_edit.h"
#include "quantlens/frontend/onnx/qoperator_rules.h"
#include "quantlens/frontend/onnx/schemes.h"
#include "quantlens/frontend/onnx/write.h"
#include "quantlens/graph/order.h"
#include "quantlens/quant/params.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint64_t kMostNewInputs = 16;  // a plan may add an optional input, not thousands

/// A weight in blocks, made once when the first of its tensors is written. Scales and zero points
/// are small; codes are let go as soon as they are taken.
class LazyBlocks {
 public:
  explicit LazyBlocks(std::function<Blocks()> make) : make_(std::move(make)) {}
  Tensor codes() {
    Blocks blocks = make_();
    scales_ = blocks.scales;
    zero_points_ = blocks.zero_points;
    return std::move(blocks.codes);
  }
  Tensor scales() {
    if (!scales_) codes();
    return *scales_;
  }
  Tensor zero_points() {
    if (!zero_points_) codes();
    return *zero_points_;
  }

 private:
  std::function<Blocks()> make_;
  std::optional<Tensor> scales_, zero_points_;
};

class PlanEditor {
 public:
  PlanEditor(const Model& model, const Plan& plan)
      : model_(model), plan_(plan), graph_(model.graph), index_(model.graph), names_(model.graph) {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) ops_.emplace(op_id(graph_.nodes[i]), i);
    for (const auto& [name, tensor] : plan.weights) new_names_.emplace(name, names_.take(name));
    for (const InputEdit& edit : plan.input_edits) {
      edits_.emplace(std::pair(edit.use.op, edit.use.input), &edit);
    }
  }

  PlanEdit run() {
    check_supported(model_, plan_);
    for (const Fold& fold : plan_.folds) add_fold(fold);
    for (const auto& [into, last] : last_folded_) finish_fold(into, last);
    for (const InputEdit& edit : plan_.input_edits) {
      const auto name = new_names_.find(edit.weight);
      if (name == new_names_.end()) fail_weight(edit.weight);
      set_input(edit.use, name->second);
      touched_.insert(edit.original);
    }
    for (const std::string& op : plan_.removed) remove(op);
    for (const ValueEdit& edit : plan_.value_edits) set_input(edit.use, edit.value);
    for (const Scaling& scaling : plan_.scalings) add_scaling(scaling);
    for (const ActivationPlan& activation : plan_.activations) add_activation(activation);
    for (const WeightPlan& weight : plan_.weights_quantized) add_weight(weight);
    for (const BlockWeightPlan& weight : plan_.weights_in_blocks) add_blocks(weight);
    add_float_weights();
    drop_unread();
    out_.edit.metadata["quantlens.names"] = names_map();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(Errc::bad_input,
                fmt::format("{}: the plan was made for another model: {}; make it again",
                            printable(model_.path.string()), problem));
  }

  [[noreturn]] void fail_weight(const std::string& name) const {
    fail(fmt::format("there is no weight '{}'", printable(name)));
  }

  [[noreturn]] void fail_gone(const std::string& value) const {
    fail(fmt::format("the value '{}' disappears, and is read", printable(value)));
  }

  std::size_t node_of(const std::string& op) const {
    const auto found = ops_.find(op);
    if (found == ops_.end()) fail(fmt::format("there is no op '{}'", printable(op)));
    return found->second;
  }

  /// The position of a node's first output, which names the op.
  static std::size_t main_output(const Node& node) {
    return static_cast<std::size_t>(std::ranges::find(node.outputs, op_id(node)) -
                                    node.outputs.begin());
  }

  void add_fold(const Fold& fold) {
    const std::size_t op = node_of(fold.op);
    const std::size_t into = node_of(fold.into);
    if (op == into) fail(fmt::format("op '{}' is folded into itself", printable(fold.op)));
    if (!out_.edit.removed.insert(op).second) {
      fail(fmt::format("op '{}' is folded twice", printable(fold.op)));
    }
    for (const std::string& input : graph_.nodes[op].inputs) touched_.insert(input);
    for (const std::string& output : graph_.nodes[op].outputs) {
      if (!output.empty()) gone_.insert(output);
    }
    folded_into_[op] = into;
    std::size_t& last = last_folded_.emplace(into, op).first->second;
    last = std::max(last, op);
    map_folds_.push_back(boost::json::object{{"op", fold.op}, {"into", fold.into}});
  }

  void remove(const std::string& op) {
    const std::size_t number = node_of(op);
    if (!out_.edit.removed.insert(number).second) {
      fail(fmt::format("op '{}' disappears twice", printable(op)));
    }
    for (const std::string& input : graph_.nodes[number].inputs) touched_.insert(input);
    for (const std::string& output : graph_.nodes[number].outputs) {
      if (!output.empty()) gone_.insert(output);
    }
  }

  /// `into` makes what the last op folded into it made.
  void finish_fold(std::size_t into, std::size_t last) {
    const Node& node = graph_.nodes[into];
    if (out_.edit.removed.contains(into)) {
      fail(fmt::format("op '{}' disappears, and others into it", printable(op_id(node))));
    }
    out_.edit.outputs[into][main_output(node)] = op_id(graph_.nodes[last]);
    gone_.insert(op_id(node));
    gone_.erase(op_id(graph_.nodes[last]));
  }

  void set_input(const ValueUse& use, const std::string& value) {
    const std::size_t number = node_of(use.op);
    const Node& node = graph_.nodes[number];
    if (out_.edit.removed.contains(number)) {
      fail(fmt::format("op '{}' disappears, and reads '{}'", printable(use.op), printable(value)));
    }
    if (use.input < node.inputs.size()) {
      out_.edit.inputs[number][static_cast<std::size_t>(use.input)] = value;
      return;
    }
    const std::uint64_t beyond = use.input - node.inputs.size();
    const std::vector<std::string> captured = captured_values(node);
    if (beyond < captured.size()) {
      out_.edit.captured[number][captured[static_cast<std::size_t>(beyond)]] = value;
    } else if (beyond < kMostNewInputs) {
      out_.edit.inputs[number][static_cast<std::size_t>(use.input)] = value;
    } else {
      fail(fmt::format("op '{}' has no input {}", printable(use.op), use.input));
    }
  }

  /// Where a value is made in the new file: the node, and which of its outputs.
  std::optional<std::pair<std::size_t, std::size_t>> made_at(const std::string& value) const {
    const std::optional<std::size_t> producer = index_.producer(value);
    if (!producer) return std::nullopt;
    const auto folded = folded_into_.find(*producer);
    const auto last = last_folded_.find(folded == folded_into_.end() ? *producer : folded->second);
    if (last == last_folded_.end()) {
      const std::vector<std::string>& outputs = graph_.nodes[*producer].outputs;
      return std::pair{
          *producer, static_cast<std::size_t>(std::ranges::find(outputs, value) - outputs.begin())};
    }
    const std::size_t into = last->first;
    if (value == op_id(graph_.nodes[last->second])) {
      return std::pair{into, main_output(graph_.nodes[into])};
    }
    if (producer == into && value != op_id(graph_.nodes[into])) {  // a further output
      const std::vector<std::string>& outputs = graph_.nodes[into].outputs;
      return std::pair{
          into, static_cast<std::size_t>(std::ranges::find(outputs, value) - outputs.begin())};
    }
    fail_gone(value);
  }

  std::size_t first_reader(std::span<const ValueUse> uses) const {
    std::size_t first = graph_.nodes.size();
    for (const ValueUse& use : uses) first = std::min(first, node_of(use.op));
    return first;
  }

  std::vector<ValueUse> all_uses(const std::string& value) const {
    std::vector<ValueUse> uses;
    for (const Use& use : index_.uses(value)) {
      if (out_.edit.removed.contains(use.node)) continue;
      uses.push_back({op_id(graph_.nodes[use.node]), use.input});
    }
    return uses;
  }

  void add_activation(const ActivationPlan& activation) {
    const std::string& value = activation.value;
    const auto maker = made_at(value);
    if (!maker && !index_.is_input(value) && index_.constant(value) == nullptr) {
      fail(fmt::format("there is no value '{}'", printable(value)));
    }
    const std::vector<ValueUse> uses = activation.all_uses ? all_uses(value) : activation.uses;
    const bool renames = activation.all_uses && maker && index_.is_output(value);
    if (uses.empty() && !renames) return;

    std::string source = value;
    std::string result = value;
    if (renames) {
      if (map_values_.contains(value)) {
        fail(fmt::format("the value '{}' is quantized twice", printable(value)));
      }
      source = names_.take(value + "_QuantizeLinear_Input");
      out_.edit.outputs[maker->first][maker->second] = source;
    } else {
      result = names_.take(value + "_DequantizeLinear_Output");
      for (const ValueUse& use : uses) set_input(use, result);
    }
    const std::size_t at = maker ? maker->first + 1 : first_reader(uses);
    const Parameters parameters = add_parameters(value, activation.scheme, {{activation.params}});
    const std::string codes = names_.take(value + "_QuantizeLinear_Output");
    insert(at, "QuantizeLinear", {value, source, codes}, parameters);
    insert(at, "DequantizeLinear", {value, codes, result}, parameters);
    map_values_.emplace(value, codes);  // where there are two, the wider stand first
  }

  void add_scaling(const Scaling& scaling) {
    const auto factor = new_names_.find(scaling.factor);
    if (factor == new_names_.end()) fail_weight(scaling.factor);
    if (scaling.uses.empty()) return;
    const auto maker = made_at(scaling.value);
    Node node;
    node.name = names_.take(scaling.value + "_Mul");
    node.type = "Mul";
    node.inputs = {scaling.value, factor->second};
    node.outputs = {names_.take(scaling.value + "_scaled")};
    for (const ValueUse& use : scaling.uses) set_input(use, node.outputs[0]);
    out_.edit.inserted.emplace(maker ? maker->first + 1 : first_reader(scaling.uses),
                               std::move(node));
  }

  /// Names of a scale and a zero point, and their axis.
  struct Parameters {
    std::string scale;
    std::string zero_point;
    std::optional<int> axis;
    std::string domain;  ///< of the operators that take them
  };

  // ONNX's own operators know other codes than those of 8 bits from a version on; ONNX Runtime's
  // know them always.
  std::string domain_for(const Scheme& scheme) {
    constexpr std::int64_t kAllWidthsOpset = 21;
    const auto opset = model_.opsets.find("");
    const bool is_known = opset != model_.opsets.end() && opset->second >= kAllWidthsOpset;
    if (is_known || byte_size(scheme.dtype) == 4 || scheme.dtype == DType::uint8 ||
        scheme.dtype == DType::int8) {
      return {};
    }
    out_.edit.opsets[kMicrosoftDomain] = 1;
    return kMicrosoftDomain;
  }

  Parameters add_parameters(const std::string& value, const Scheme& scheme,
                            const std::vector<QParams>& params) {
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    for (const QParams& each : params) {
      scales.push_back(each.scale);
      zero_points.push_back(each.zero_point);
    }
    Shape shape;
    if (scheme.axis) shape.push_back(static_cast<std::int64_t>(params.size()));
    Parameters out{.scale = names_.take(value + "_scale"),
                   .zero_point = names_.take(value + "_zero_point"),
                   .axis = scheme.axis,
                   .domain = domain_for(scheme)};
    out_.edit.weights.emplace_back(out.scale, Tensor::from<float>(shape, std::move(scales)));
    out_.edit.weights.emplace_back(out.zero_point, codes_tensor(scheme.dtype, shape, zero_points));
    return out;
  }

  /// One of the two nodes around a quantized value.
  struct Link {
    const std::string& value;  ///< what it is named after
    const std::string& from;
    const std::string& to;
  };

  void insert(std::size_t at, const std::string& type, const Link& link,
              const Parameters& parameters) {
    Node node;
    node.name = names_.take(link.value + "_" + type);
    node.type = type;
    node.domain = parameters.domain;
    node.inputs = {link.from, parameters.scale, parameters.zero_point};
    node.outputs = {link.to};
    if (parameters.axis) node.attributes["axis"] = std::int64_t{*parameters.axis};
    out_.edit.inserted.emplace(at, std::move(node));
  }

  const Tensor& float_weight(const std::string& name) const {
    if (const auto own = plan_.weights.find(name); own != plan_.weights.end()) return own->second;
    const Tensor* found = index_.constant(name);
    if (found == nullptr) fail_weight(name);
    return *found;
  }

  void add_weight(const WeightPlan& plan) {
    const Tensor& tensor = float_weight(plan.weight);
    check_parameters(plan, tensor);
    if (plan.uses.empty()) return;
    touched_.insert(plan.weight);
    const Parameters parameters = add_parameters(plan.weight, plan.scheme, plan.params);
    const std::string codes = names_.take(plan.weight + "_quantized");
    const std::string result = names_.take(plan.weight + "_DequantizeLinear_Output");
    out_.weights.push_back({codes, plan.scheme.dtype, tensor.shape(), [tensor, &plan] {
                              return quantize(tensor, plan.params, plan.scheme);
                            }});
    insert(first_reader(plan.uses), "DequantizeLinear", {plan.weight, codes, result}, parameters);
    for (const ValueUse& use : plan.uses) {
      set_input(use, result);
      map_weight(plan, use, codes);
    }
  }

  /// The tensors of a weight in blocks; its ops change afterwards (block_edit.h).
  void add_blocks(const BlockWeightPlan& plan) {
    const Tensor tensor = float_weight(plan.weight);
    const Lines lines = plan.rows ? Lines::rows : Lines::columns;
    const BlockShapes shapes = block_shapes(tensor.shape(), lines, plan.scheme);
    BlockUse use{.plan = &plan,
                 .codes = names_.take(plan.weight + "_quantized"),
                 .scales = names_.take(plan.weight + "_scale"),
                 .zero_points = {},
                 .matrix = tensor.shape()};
    const auto made = std::make_shared<LazyBlocks>(
        [tensor, lines, scheme = plan.scheme] { return quantize_blocks(tensor, lines, scheme); });
    out_.weights.push_back(
        {use.codes, DType::uint8, shapes.codes, [made] { return made->codes(); }});
    out_.weights.push_back(
        {use.scales, DType::float32, shapes.scales, [made] { return made->scales(); }});
    if (!plan.scheme.symmetric) {
      use.zero_points = names_.take(plan.weight + "_zero_point");
      out_.weights.push_back({use.zero_points, DType::uint8, shapes.zero_points,
                              [made] { return made->zero_points(); }});
    }
    for (const ValueUse& at : plan.uses) {
      node_of(at.op);
      out_.blocks[{at.op, at.input}] = use;
      map_weights_.push_back(boost::json::object{
          {"op", at.op}, {"weight", plan.weight}, {"quantized", use.codes}, {"folded", false}});
    }
  }

  void check_parameters(const WeightPlan& plan, const Tensor& tensor) const {
    const auto rank = static_cast<int>(tensor.shape().size());
    std::int64_t channels = 1;
    if (const std::optional<int> axis = plan.scheme.axis) {
      if (*axis < 0 || *axis >= rank) {
        fail(fmt::format("the weight '{}' has no axis {}", printable(plan.weight), *axis));
      }
      channels = tensor.shape()[static_cast<std::size_t>(*axis)];
    }
    if (static_cast<std::int64_t>(plan.params.size()) != channels) {
      fail(fmt::format("the weight '{}' has {} channels, and {} scales are given",
                       printable(plan.weight), channels, plan.params.size()));
    }
  }

  void map_weight(const WeightPlan& plan, const ValueUse& use, const std::string& codes) {
    const auto edit = edits_.find({use.op, use.input});
    const bool folded = edit != edits_.end() && edit->second->weight == plan.weight;
    const std::string& original = folded ? edit->second->original : plan.weight;
    map_weights_.push_back(boost::json::object{
        {"op", use.op}, {"weight", original}, {"quantized", codes}, {"folded", folded}});
  }

  void add_float_weights() {
    const auto read = read_counts(graph_, out_.edit);
    for (const auto& [name, tensor] : plan_.weights) {
      const std::string& new_name = new_names_.at(name);
      if (read.contains(new_name)) out_.edit.weights.emplace_back(new_name, tensor);
    }
  }

  /// Float weights that only quantized or folded ops read go, whether initializers or Constants.
  void drop_unread() {
    std::unordered_map<std::string, std::size_t> reads = read_counts(graph_, out_.edit);
    for (const std::string& name : gone_) {
      if (reads.contains(name)) fail_gone(name);
    }
    out_.edit.values_dropped.insert(gone_.begin(), gone_.end());
    std::vector<std::string> candidates(touched_.begin(), touched_.end());
    while (!candidates.empty()) {
      const std::string name = std::move(candidates.back());
      candidates.pop_back();
      if (reads.contains(name) || gone_.contains(name)) continue;
      if (graph_.weights.contains(name)) {
        out_.edit.removed_weights.insert(name);
        out_.edit.values_dropped.insert(name);
      } else if (const auto producer = index_.producer(name); producer) {
        drop_node(*producer, reads, candidates);
      }
    }
  }

  /// A node that nobody needs any more goes, and perhaps what it alone has read.
  void drop_node(std::size_t number, std::unordered_map<std::string, std::size_t>& reads,
                 std::vector<std::string>& candidates) {
    const Node& node = graph_.nodes[number];
    const bool is_read = std::ranges::any_of(
        node.outputs, [&](const std::string& output) { return reads.contains(output); });
    if (is_read || !node.subgraphs.empty() || !out_.edit.removed.insert(number).second) return;
    for (const std::string& output : node.outputs) {
      if (!output.empty()) out_.edit.values_dropped.insert(output);
    }
    for (const std::string& input : node.inputs) {
      const auto count = reads.find(input);
      if (count == reads.end() || --count->second > 0) continue;
      reads.erase(count);
      candidates.push_back(input);
    }
  }

  std::string names_map() const {
    return boost::json::serialize(boost::json::object{
        {"format", 1}, {"values", map_values_}, {"weights", map_weights_}, {"folds", map_folds_}});
  }

  const Model& model_;
  const Plan& plan_;
  const Graph& graph_;
  GraphIndex index_;
  FreeNames names_;
  std::map<std::string, std::string> new_names_;  ///< of Plan::weights in the file
  std::map<std::pair<std::string, std::uint64_t>, const InputEdit*> edits_;
  std::unordered_map<std::string, std::size_t> ops_;
  std::unordered_map<std::size_t, std::size_t> folded_into_;
  std::map<std::size_t, std::size_t> last_folded_;  ///< by the node that stays
  std::set<std::string> gone_;                      ///< values that folding leaves nobody to make
  std::set<std::string> touched_;                   ///< float weights that may now be unread
  PlanEdit out_;
  boost::json::object map_values_;
  boost::json::array map_weights_, map_folds_;
};

}  // namespace

PlanEdit plan_edit(const Model& model, const Plan& plan) {
  PlanEdit edit = PlanEditor(model, plan).run();
  if (!edit.blocks.empty()) use_block_operators(model, edit);
  if (has_dynamic_ops(plan)) use_dynamic_operators(model, plan, edit);
  if (plan.quant_format == QuantFormat::qoperator) use_integer_operators(model, plan, edit);
  if (has_half_ops(plan)) use_half(model, plan, edit);
  return edit;
}

Edit edit_for(const Model& model, const Plan& plan) {
  PlanEdit edit = plan_edit(model, plan);
  for (const NewWeight& weight : edit.weights) {
    edit.edit.weights.emplace_back(weight.name, weight.make());
  }
  return std::move(edit.edit);
}

}  // namespace quantlens::onnx
