// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/plan_edit.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/frontend/graphdef/integer_pattern.h"
#include "quantlens/frontend/graphdef/new_constants.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

/// What a plan may ask for that no op of TensorFlow does.
void check_supported(const Model& model, const Plan& plan) {
  const auto refuse = [&](std::string_view what, std::string_view instead) {
    throw Error(Errc::unsupported, fmt::format("{}: TensorFlow has no ops for {}; {}",
                                               printable(model.path.string()), what, instead));
  };
  if (!plan.weights_in_blocks.empty()) refuse("weights in blocks", "choose the approach static");
  for (const OpPlan& op : plan.ops) {
    if (!op.quantized || op.form == OpForm::static_ || op.form == OpForm::float_) continue;
    refuse(op.form == OpForm::fp16 ? "single ops in half" : "codes whose scale is found as it runs",
           "choose the approach static");
  }
}

class PlanEditor {
 public:
  PlanEditor(const GraphFile& file, const Plan& plan)
      : context_(file, plan),
        file_(file),
        plan_(plan),
        graph_(file.model().graph),
        constants_(context_, out_) {}

  Edit run() {
    check_supported(file_.model(), plan_);
    for (const Fold& fold : plan_.folds) add_fold(fold);
    std::vector<IntegerPattern> patterns = collect_patterns();
    for (const InputEdit& edit : plan_.input_edits) edit_input(edit);
    for (const std::string& op : plan_.removed) remove(context_.node_of(op));
    for (const ValueEdit& edit : plan_.value_edits) set_input(edit.use, edit.value);
    for (const Scaling& scaling : plan_.scalings) add_scaling(scaling);
    for (const ActivationPlan& activation : plan_.activations) add_activation(activation);
    for (const IntegerPattern& pattern : patterns) add_pattern(pattern);
    finish_floats();
    for (const auto& [value, codes] : made_) add_float_result(value, codes);
    drop_unread(file_, context_.index(), std::move(touched_), out_);
    check_reads();
    out_.metadata["quantlens.names"] = names_map();
    return std::move(out_);
  }

 private:
  const Node& node(std::size_t number) const { return graph_.nodes[number]; }

  void remove(std::size_t number) {
    const NodeParts& parts = context_.parts_of(number);
    if (!out_.removed.emplace(parts.name).second) {
      context_.fail(fmt::format("op '{}' disappears twice", printable(op_id(node(number)))));
    }
    touch(parts);
  }

  /// What only this node reads may disappear with it.
  void touch(const NodeParts& parts) {
    for (const std::string_view input : parts.inputs)
      touched_.emplace_back(file_.reference(input).node);
  }

  void add_fold(const Fold& fold) {
    const std::size_t op = context_.node_of(fold.op), into = context_.node_of(fold.into);
    if (op == into) context_.fail(fmt::format("op '{}' is folded into itself", printable(fold.op)));
    remove(op);
    folded_.insert(fold.op);
    std::size_t& last = last_folded_.emplace(into, op).first->second;
    last = std::max(last, op);
    map_folds_.push_back(boost::json::object{{"op", fold.op}, {"into", fold.into}});
  }

  std::vector<IntegerPattern> collect_patterns() {
    std::vector<IntegerPattern> patterns;
    for (const OpPlan& op : plan_.ops) {
      if (!op.quantized || op.form != OpForm::static_ || op.members.empty()) continue;
      IntegerPattern pattern = integer_pattern(context_, op, folded_);
      integer_ops_.insert(op.op.id);
      names_[pattern.result] =
          pattern.gives_codes ? constants_.take(pattern.result + "/int8") : pattern.result;
      for (const std::size_t member : pattern.fused) {
        fused_.insert(member);
        const std::string& id = op_id(node(member));
        if (!out_.removed.contains(context_.parts_of(member).name)) remove(member);
        if (pattern.result != id) out_.stands_for.emplace(id, names_.at(pattern.result));
      }
      patterns.push_back(std::move(pattern));
    }
    std::ranges::sort(patterns, {}, &IntegerPattern::anchor);  // in order of flow
    return patterns;
  }

  /// A float op reads a new weight, or gets a bias. Those of int8 ops are written with these.
  void edit_input(const InputEdit& edit) {
    const std::size_t number = context_.node_of(edit.use.op);
    if (fused_.contains(number)) return;
    const roles::Operands* operands = operands_of(node(number));
    const bool is_bias = operands != nullptr && operands->bias == edit.use.input &&
                         edit.use.input >= node(number).inputs.size();
    if (is_bias) {
      biases_[number] = edit.weight;
    } else {
      set_input(edit.use, constants_.floats(place_of(number), edit.weight));
    }
  }

  std::string place_of(std::size_t number) const {
    return std::string(context_.parts_of(number).name);
  }

  /// `value`: as files name what a node reads.
  void set_input(const ValueUse& use, const std::string& value) {
    const std::size_t number = context_.node_of(use.op);
    const NodeParts& parts = context_.parts_of(number);
    if (out_.removed.contains(parts.name)) {
      context_.fail(
          fmt::format("op '{}' disappears, and reads '{}'", printable(use.op), printable(value)));
    }
    const std::optional<std::size_t> at = context_.position_of(number, use.input);
    if (!at) context_.fail(fmt::format("op '{}' has no input {}", printable(use.op), use.input));
    out_.inputs[std::string(parts.name)][*at] = value;
    touch(parts);
  }

  void add_scaling(const Scaling& scaling) {
    if (scaling.uses.empty()) return;
    const std::string place = place_of(context_.node_of(scaling.uses[0].op));
    const std::string factor = constants_.floats(place, scaling.factor);
    const std::string name = constants_.take(scaling.value + "/scaled");
    AttributeWriter attributes;
    attributes.type("T", Type::float32);
    out_.inserted[place].push_back({.name = name,
                                    .type = "Mul",
                                    .inputs = {scaling.value, factor},
                                    .attributes = attributes.take()});
    for (const ValueUse& use : scaling.uses) set_input(use, name);
  }

  void add_activation(const ActivationPlan& activation) {
    const std::string& value = activation.value;
    if (!context_.has_value(value))
      context_.fail(fmt::format("there is no value '{}'", printable(value)));
    const Type type = context_.code_type(activation.scheme, {&activation.params, 1}, value);
    if (const auto name = names_.find(value); activation.all_uses && name != names_.end()) {
      made_.emplace(value, Codes(name->second, type));
      results_[value] = &activation;
      params_.emplace(name->second, activation.params);
      map_values_.emplace(value, name->second);
      return;
    }
    if (activation.all_uses) {
      context_.fail(fmt::format("no int8 op gives the value '{}', which all are to read as codes",
                                printable(value)));
    }
    if (activation.uses.empty()) return;
    const std::string place = place_of(context_.node_of(activation.uses[0].op));
    const RangeNodes range = constants_.range(place, value, type, activation.params);
    const Codes codes(constants_.take(value + "/quantize"), type);
    params_.emplace(codes.node, activation.params);
    out_.inserted[place].push_back(quantize_node(codes, value, range));
    map_values_.emplace(value, codes.node);
    std::string floats;
    for (const ValueUse& use : activation.uses) {
      if (integer_ops_.contains(use.op)) {
        read_.emplace(std::pair(use.op, use.input), codes);
        continue;
      }
      if (floats.empty()) {
        floats = constants_.take(value + "/dequantize");
        out_.inserted[place].push_back(dequantize_node(floats, codes));
      }
      set_input(use, floats);
    }
  }

  const Codes& codes_read(const IntegerPattern& pattern, std::size_t input) const {
    const std::string& value = input_of(node(pattern.anchor), input);
    if (const auto own = read_.find({pattern.op, input}); own != read_.end()) return own->second;
    const auto made = made_.find(value);
    if (made == made_.end()) {
      context_.fail(fmt::format("the int8 op '{}' reads '{}', which is not to be codes",
                                printable(pattern.op), printable(value)));
    }
    return made->second;
  }

  /// What waited in the ops that a new node stands for.
  void add_controls(const IntegerPattern& pattern, NewNode& made) const {
    for (const std::size_t member : pattern.fused) {
      for (const std::string_view input : context_.parts_of(member).inputs) {
        if (input.starts_with('^')) made.inputs.emplace_back(input);
      }
    }
  }

  void check_moved(const IntegerPattern& pattern, const Codes& read) const {
    const ActivationPlan& result = *results_.at(pattern.result);
    if (params_.at(read.node) == result.params && made_.at(pattern.result).type == read.type)
      return;
    context_.fail(fmt::format("'{}' moves codes, and its result has others than what it reads",
                              printable(pattern.op)));
  }

  void add_move(const IntegerPattern& pattern) {
    const Node& anchor = node(pattern.anchor);
    const std::size_t count = anchor.kind == Kind::concat ? anchor.inputs.size() : 1;
    std::map<std::size_t, std::string> parts;
    for (std::size_t input = 0; input < count; ++input) {
      const Codes& codes = codes_read(pattern, input);
      check_moved(pattern, codes);
      const std::optional<std::size_t> position = context_.position_of(pattern.anchor, input);
      if (!position) context_.fail(fmt::format("op '{}' has no input", printable(pattern.op)));
      parts.emplace(*position, codes.node);
    }
    MovedCodes moved = move_codes(context_.parts_of(pattern.anchor), parts,
                                  names_.at(pattern.result), codes_read(pattern, 0));
    add_controls(pattern, moved.node);
    out_.inserted[place_of(pattern.anchor)].push_back(std::move(moved.node));
    made_.insert_or_assign(pattern.result, std::move(moved.codes));
  }

  void add_pattern(const IntegerPattern& pattern) {
    if (pattern.weight == nullptr) return add_move(pattern);
    const std::string place = place_of(pattern.anchor);
    IntegerOp op{.floats = &context_.parts_of(pattern.anchor),
                 .name = names_.at(pattern.result),
                 .data = codes_read(pattern, 0),
                 .weight = {},
                 .weight_range = {},
                 .bias = {},
                 .has_relu = pattern.has_relu,
                 .result = {},
                 .result_range = {}};
    const NewConstants::Weight weight = constants_.weight(place, *pattern.weight);
    op.weight = weight.codes;
    op.weight_range = weight.range;
    map_weight(pattern, weight.codes);
    op.bias = constants_.bias(place, pattern.op, pattern.bias);
    if (const auto made = made_.find(pattern.result); pattern.gives_codes && made != made_.end()) {
      op.result = made->second.type;
      op.result_range =
          constants_.range(place, pattern.result, *op.result, results_.at(pattern.result)->params);
      check_activation(pattern, *results_.at(pattern.result));
    }
    NewNode made = pattern.is_product
                       ? integer_product(op)
                       : integer_convolution(op, op.floats->type == "DepthwiseConv2dNative");
    add_controls(pattern, made);
    out_.inserted[place].push_back(std::move(made));
  }

  /// Codes that end where the bounds of the pattern's Relu6 are do its work.
  void check_activation(const IntegerPattern& pattern, const ActivationPlan& result) const {
    constexpr double kSlack = 1e-5;  // of float arithmetic
    if (!pattern.has_relu) return;
    const auto greatest_code = static_cast<double>(code_range(result.scheme).max);
    if (greatest_code * result.params.scale <= pattern.most * (1 + kSlack)) return;
    context_.fail(fmt::format("codes of '{}' go on beyond the bounds of its activation",
                              printable(result.value)));
  }

  void map_weight(const IntegerPattern& pattern, const std::string& codes) {
    const InputEdit* edit = context_.edit_of(pattern.op, pattern.weight_input);
    const bool is_folded = edit != nullptr && edit->weight == pattern.weight->weight;
    map_weights_.push_back(
        boost::json::object{{"op", pattern.op},
                            {"weight", is_folded ? edit->original : pattern.weight->weight},
                            {"quantized", codes},
                            {"folded", is_folded}});
  }

  /// Ops that stay float make what was folded into them made, and add the bias that they got.
  void finish_floats() {
    std::set<std::size_t> numbers;
    for (const auto& [into, last] : last_folded_) numbers.insert(into);
    for (const auto& [number, bias] : biases_) numbers.insert(number);
    for (const std::size_t number : numbers) {
      if (!fused_.contains(number)) finish_float(number);
    }
  }

  void finish_float(std::size_t number) {
    const NodeParts& parts = context_.parts_of(number);
    const std::string own(parts.name);
    if (out_.removed.contains(own)) {
      context_.fail(fmt::format("op '{}' disappears, and others into it", printable(own)));
    }
    const auto last = last_folded_.find(number);
    const std::string result = last == last_folded_.end() ? own : op_id(node(last->second));
    if (last != last_folded_.end()) {
      for (const Fold& fold : plan_.folds) {
        if (fold.into == op_id(node(number)) && fold.op != result)
          out_.stands_for.emplace(fold.op, result);
      }
    }
    const auto bias = biases_.find(number);
    if (bias == biases_.end()) {
      out_.renamed[own] = result;
      return;
    }
    const std::string product = constants_.take(result + "/without_bias");
    out_.renamed[own] = product;
    const std::string added = constants_.floats(own, bias->second);
    const auto format = parts.values.find("data_format");
    const bool is_first = format != parts.values.end() && format->second.bytes.starts_with("NC");
    AttributeWriter attributes;
    attributes.type("T", Type::float32).text("data_format", is_first ? "NCHW" : "NHWC");
    out_.inserted[own].push_back({.name = result,
                                  .type = "BiasAdd",
                                  .inputs = {product, added},
                                  .attributes = attributes.take(),
                                  .device = std::string(parts.device)});
  }

  /// The floats of codes, under the name that they always had, where anyone reads them.
  void add_float_result(const std::string& value, const Codes& codes) {
    const auto reads = read_counts(file_, out_);
    if (!reads.contains(value) && !context_.index().is_output(value)) {
      out_.stands_for.emplace(value, codes.node);
      return;
    }
    const std::optional<std::size_t> maker = context_.index().producer(value);
    out_.inserted[place_of(*maker)].push_back(dequantize_node(value, codes));
  }

  void check_reads() const {
    std::unordered_set<std::string> there;
    for (const NodeParts& parts : file_.nodes()) {
      if (out_.removed.contains(parts.name)) continue;
      const auto renamed = out_.renamed.find(parts.name);
      there.insert(renamed == out_.renamed.end() ? std::string(parts.name) : renamed->second);
    }
    for (const auto& [place, nodes] : out_.inserted) {
      for (const NewNode& node : nodes) there.insert(node.name);
    }
    for (const auto& [name, count] : read_counts(file_, out_)) {
      if (!there.contains(name))
        context_.fail(fmt::format("the value '{}' disappears, and is read", printable(name)));
    }
  }

  std::string names_map() const {
    return boost::json::serialize(boost::json::object{
        {"format", 1}, {"values", map_values_}, {"weights", map_weights_}, {"folds", map_folds_}});
  }

  PlanContext context_;
  const GraphFile& file_;
  const Plan& plan_;
  const Graph& graph_;
  Edit out_;
  NewConstants constants_;
  std::map<std::size_t, std::size_t> last_folded_;  ///< by the node that stays
  std::map<std::size_t, std::string> biases_;       ///< of float ops that had none
  std::set<std::string> folded_;                    ///< ids
  std::set<std::size_t> fused_;                     ///< nodes that int8 ops stand for
  std::unordered_set<std::string> integer_ops_;     ///< by id
  std::map<std::string, std::string> names_;        ///< by value: the int8 op that gives it
  std::map<std::string, Codes> made_;               ///< by value: what int8 ops give
  std::map<std::string, const ActivationPlan*> results_;
  std::unordered_map<std::string, QParams> params_;              ///< by node that gives codes
  std::map<std::pair<std::string, std::uint64_t>, Codes> read_;  ///< by op and input
  std::vector<std::string> touched_;                             ///< nodes that may now be unread
  boost::json::object map_values_;
  boost::json::array map_weights_, map_folds_;
};

}  // namespace

Edit plan_edit(const GraphFile& file, const Plan& plan) {
  return PlanEditor(file, plan).run();
}

}  // namespace quantlens::graphdef
