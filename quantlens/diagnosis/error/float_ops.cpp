// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/float_ops.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/diagnosis/changes/made_otherwise.h"
#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/names.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostNodes = 64;  // of one op's pattern
constexpr std::size_t kMostOps = 256;

/// In no format's words: the frontend finds them.
Node node_of(Kind kind, std::vector<std::string> inputs, const std::string& output) {
  Node node;
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

class FloatOps {
 public:
  FloatOps(const PairedModels& models, const std::vector<OpRef>& ops)
      : index_(models.reference.index),
        quantized_index_(models.quantized.index),
        able_(*models.prepared.able) {
    for (const OpRef& op : ops) ids_.emplace(op.id, op.name);
    const Pairing& pairing = models.pairing;
    const Graph& reference = index_.graph();
    const Graph& quantized = quantized_index_.graph();
    for (std::size_t i = 0; i < reference.inputs.size(); ++i) {
      if (i >= quantized.inputs.size()) break;
      inputs_.emplace(reference.inputs[i].name, quantized.inputs[i].name);
    }
    for (const ValuePair& pair : pairing.pairs) pairs_.emplace(pair.reference, &pair);
    without_side_.insert(pairing.only_reference.begin(), pairing.only_reference.end());
    folded_.insert(pairing.folded_ops.begin(), pairing.folded_ops.end());
    for (const Change& change : pairing.changes) {
      if (!change.ops.empty()) changed_.insert(change.ops.front().id);
    }
    for (const ValuePair& pair : pairing.pairs) {
      if (pair.type != "Input" && ids_.contains(pair.op.id)) roots_.push_back(&pair);
    }
    add_followers(pairing);
    // what one makes, those behind it read
    std::ranges::stable_sort(
        roots_, {}, [&](const ValuePair* root) { return index_.producer(root->reference); });
    while (begins_a_name(quantized, prefix_)) prefix_ += '_';
  }

  std::optional<Patch> patch() {
    if (roots_.empty() || roots_.size() > kMostOps) return std::nullopt;
    for (const ValuePair* root : roots_) replace(*root);
    if (failed_) return std::nullopt;
    pass_to_unpaired();
    return std::move(patch_);
  }

 private:
  using Ops = std::map<std::string, std::string>;  // names by id

  /// What an op of these gives is moved, pooled or cut in float, too: codes of the result that are
  /// only passed on would bring their rounding and clipping back. So is what reads it on codes by a
  /// kernel for which the quantizer has none (a QLinearSoftmax of another tool): nobody would write
  /// codes for it. What is known to be another op in the quantized model stays: it would be mended.
  void add_followers(const Pairing& pairing) {
    std::set<std::string> in_float;
    for (const ValuePair* root : roots_) in_float.insert(root->reference);
    const std::set<std::string> asked = in_float;
    for (const ValuePair& pair : pairing.pairs) {
      if (pair.type == "Input" || in_float.contains(pair.reference)) continue;
      if (!is_passed_from(pair.reference, in_float) && !is_foreign_reader(pair, asked)) continue;
      const std::optional<std::size_t> maker = index_.producer(pair.reference);
      if (maker &&
          is_made_otherwise(index_, index_.graph().nodes[*maker], pair.reference, quantized_index_))
        continue;
      in_float.insert(pair.reference);
      ids_.emplace(pair.op.id, pair.op.name);
      roots_.push_back(&pair);
    }
  }

  /// Whether the value is one of these, or passed on from one.
  bool is_passed_from(std::string value, const std::set<std::string>& values) const {
    for (std::size_t step = 0; step < kMostNodes && !values.contains(value); ++step) {
      const std::optional<std::size_t> producer = index_.producer(value);
      if (!producer || !passes_on(index_.graph().nodes[*producer])) return false;
      value = index_.graph().nodes[*producer].inputs.front();
    }
    return values.contains(value);
  }

  bool is_foreign_reader(const ValuePair& pair, const std::set<std::string>& values) const {
    const std::optional<std::size_t> producer = index_.producer(pair.reference);
    if (!producer || pair.side != Side::integer_output) return false;
    const Node& node = index_.graph().nodes[*producer];
    return !able_.has(node.kind) && std::ranges::any_of(node.inputs, [&](const std::string& input) {
      return is_passed_from(input, values);
    });
  }

  /// What integer readers take from codes, in float.
  struct Floats {
    std::string name;
    std::string reference;  ///< the reference's value
  };

  std::string fresh() { return fmt::format("{}{}", prefix_, ++count_); }

  /// The value of the quantized model whose readers are to read floats: what becomes codes, the
  /// float, or, of an integer op, the codes themselves.
  std::optional<std::string> place_of(const ValuePair& pair) const {
    if (pair.side != Side::q_output) return pair.quantized;
    const auto producer = quantized_index_.producer(pair.quantized);
    if (!producer) return std::nullopt;
    const Node& quantize = quantized_index_.graph().nodes[*producer];
    if (quantize.kind != Kind::quantize) return std::nullopt;
    return quantize.inputs.front();
  }

  void replace(const ValuePair& root) {
    const std::optional<std::string> place = place_of(root);
    if (!place || !quantized_index_.producer(*place)) {
      failed_ = true;
      return;
    }
    if (patch_.nodes.contains(*place) || failed_) return;
    made_ = 0;
    nodes_.clear();
    nearby_.clear();
    std::string value = in_float(root.reference, true);
    if (failed_) return;
    if (!root.input_factors.empty()) {
      const std::string product = fresh();
      nodes_.push_back(named(node_of(Kind::mul, {value, root.input_factors}, product)));
      value = product;
    }
    // not Identity: the runtime would join the op and the codes behind it to an integer kernel
    const std::string kept = root.side == Side::integer_output ? fresh() : *place;
    nodes_.push_back(named(node_of(Kind::max, {value}, kept)));
    if (root.side == Side::integer_output) {
      nodes_.push_back(with_params(Kind::quantize, root, kept, *place));
    }
    patch_.nodes.emplace(*place, std::move(nodes_));
    nodes_.clear();
    pass_floats(root, kept);
  }

  /// Whether all that read a value, also moved, have no integer kernel, or are to be in float.
  bool is_read_as_float(const std::string& value) const {
    const std::vector<Node>& nodes = quantized_index_.graph().nodes;
    std::vector<std::string> waiting{value};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (i > kMostNodes) return false;
      for (const Use& use : quantized_index_.uses(waiting[i])) {
        const Node& reader = nodes[use.node];
        const bool is_moved = moves_elements(reader.kind) && use.input == 0;
        if (is_moved) waiting.push_back(reader.outputs.front());
        if (is_moved) continue;
        const bool has_kernel = able_.has(reader.kind) && !is_one_of(ids_, reader);
        if (reader.kind == Kind::quantize || has_kernel) return false;
      }
    }
    return true;
  }

  /// Who computes in float anyway reads the floats: nobody would write codes for it.
  void pass_floats(const ValuePair& root, const std::string& floats) {
    const std::vector<Node>& nodes = quantized_index_.graph().nodes;
    for (const Use& use : quantized_index_.uses(root.quantized)) {
      const Node& link = nodes[use.node];
      if (link.kind != Kind::dequantize || use.input != 0) continue;
      const std::string& value = op_id(link);
      floats_.emplace(value, Floats{.name = floats, .reference = root.reference});
      if (is_read_as_float(value)) {
        patch_.nodes.emplace(value, std::vector{named(node_of(Kind::max, {floats}, value))});
      }
    }
  }

  /// An op among them whose result was not paired computes as it did, but from floats where they
  /// are.
  void pass_to_unpaired() {
    Ops left = ids_;
    for (const ValuePair* root : roots_) left.erase(root->op.id);
    for (Node node : quantized_index_.graph().nodes) {
      if (node.outputs.size() != 1 || uses_codes(node.kind)) continue;
      if (!is_one_of(left, node) || patch_.nodes.contains(op_id(node))) continue;
      bool reads_any = false;
      for (std::string& input : node.inputs) {
        const auto found = floats_.find(input);
        if (found == floats_.end()) continue;
        input = found->second.name;
        reads_any = true;
      }
      const std::string value = op_id(node);
      if (reads_any) patch_.nodes.emplace(value, std::vector{named(std::move(node))});
    }
  }

  /// Whether an op of the quantized model is one of these of the reference: it makes the value of
  /// its name, or has its name; or all ops of its type that read what it reads are among them.
  bool is_one_of(const Ops& ops, const Node& node) const {
    const std::vector<Node>& nodes = index_.graph().nodes;
    const std::optional<std::size_t> maker = index_.producer(op_id(node));
    if (maker && have_same_type(nodes[*maker], node)) return ops.contains(op_id(nodes[*maker]));
    const std::string name = op_name(node);
    if (std::ranges::any_of(ops, [&](const auto& op) { return op.second == name; })) return true;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto found = floats_.find(node.inputs[i]);
      if (found == floats_.end()) continue;
      std::size_t others = 0, same = 0;
      for (const Use& use : index_.uses(found->second.reference)) {
        if (use.input != i || !have_same_type(nodes[use.node], node)) continue;
        ++(ops.contains(op_id(nodes[use.node])) ? same : others);
      }
      if (same > 0 && others == 0) return true;
    }
    return false;
  }

  /// The name that a value of the reference has in float; makes what it needs. `computed`: by the
  /// reference's own op, though the quantized model has it.
  std::string in_float(const std::string& value, bool computed) {
    if (value.empty() || failed_) return {};
    if (const auto known = known_.find(value); known != known_.end()) return known->second;
    if (const auto known = nearby_.find(value); known != nearby_.end()) return known->second;
    if (const Tensor* constant = index_.constant(value)) {
      patch_.weights.emplace_back(fresh(), *constant);
      return known_[value] = patch_.weights.back().first;
    }
    if (const auto input = inputs_.find(value); input != inputs_.end()) return input->second;
    const auto pair = pairs_.find(value);
    if (!computed && pair != pairs_.end() && !ids_.contains(pair->second->op.id) &&
        !is_moved_float(*pair->second)) {
      return nearby_[value] = meaning_of(*pair->second);
    }
    const std::optional<std::size_t> producer = index_.producer(value);
    const bool is_mended =
        producer && !computed && is_other(index_.graph().nodes[*producer], value);
    if (!producer || is_mended || ++made_ > kMostNodes) {
      failed_ = true;
      return {};
    }
    return copy(index_.graph().nodes[*producer], value);
  }

  /// Whether an op that is not one of these is known to be another one in the quantized model, or
  /// to be missing.
  bool is_other(const Node& node, const std::string& value) const {
    if (ids_.contains(op_id(node)) || folded_.contains(op_id(node))) return false;
    return without_side_.contains(value) || changed_.contains(op_id(node)) ||
           is_made_otherwise(index_, node, value, quantized_index_);
  }

  std::string copy(Node node, const std::string& value) {
    if (!node.subgraphs.empty()) {
      failed_ = true;
      return {};
    }
    for (std::string& input : node.inputs) input = in_float(input, false);
    std::string made;
    std::string id = op_id(node);
    for (std::string& output : node.outputs) {
      if (output.empty()) continue;
      const std::string name = fresh();
      const auto pair = pairs_.find(output);
      const bool is_root = pair != pairs_.end() && ids_.contains(pair->second->op.id);
      // another result of the node has a place of its own, which may come before this one
      (is_root && output == value ? known_ : nearby_).emplace(output, name);
      if (output == value) made = name;
      output = name;
    }
    node.name = fresh();
    patch_.copies.emplace(node.name, std::move(id));
    nodes_.push_back(std::move(node));
    return made;
  }

  /// Whether an op computes the value in float, so that its codes are there for integer readers.
  bool is_float(const ValuePair& pair) const {
    const auto producer = index_.producer(pair.reference);
    if (pair.side != Side::q_output || !pair.input_factors.empty() || !producer) return false;
    if (!able_.has(index_.graph().nodes[*producer].kind)) return true;
    const std::optional<std::string> place = place_of(pair);
    return place && reads_floats(*place);
  }

  static bool adds_or_multiplies(Kind kind) {
    return kind == Kind::add || kind == Kind::sub || kind == Kind::mul || kind == Kind::div;
  }

  /// Whether an Add, Mul, Sub or Div of the quantized model reads what such an op gives, or one
  /// that no integer kernel computes, as floats: then none computes it either.
  bool reads_floats(const std::string& value) const {
    const std::vector<Node>& nodes = quantized_index_.graph().nodes;
    const std::optional<std::size_t> producer = quantized_index_.producer(value);
    if (!producer || !adds_or_multiplies(nodes[*producer].kind)) return false;
    return std::ranges::any_of(nodes[*producer].inputs, [&](const std::string& input) {
      const std::optional<std::size_t> maker = quantized_index_.producer(input);
      if (!maker) return false;
      const Kind kind = nodes[*maker].kind;
      const bool is_float_op =
          !able_.has(kind) && !uses_codes(kind) && kind != Kind::constant && kind != Kind::identity;
      return adds_or_multiplies(kind) || is_float_op;
    });
  }

  /// Whether an op gives elements of its first input, as constants say.
  bool passes_on(const Node& node) const {
    return able_.passes_elements(node.kind) && !node.inputs.empty() &&
           std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](const std::string& input) {
             return input.empty() || index_.constant(input) != nullptr;
           });
  }

  /// Whether an op that is not among these makes codes of its result, or of what an activation
  /// behind it makes of that.
  bool becomes_codes(std::string value) const {
    for (std::size_t step = 0; step < kMostNodes; ++step) {
      if (const auto pair = pairs_.find(value); pair != pairs_.end()) {
        return pair->second->side != Side::float_ && !ids_.contains(pair->second->op.id);
      }
      const std::vector<Use>& uses = index_.uses(value);
      if (uses.size() != 1) return false;
      value = op_id(index_.graph().nodes[uses.front().node]);
    }
    return false;
  }

  /// Whether an op that is not among these reads the value's codes, also moved: then they stay.
  bool is_read_in_codes(const std::string& value) const {
    std::vector<std::string> waiting{value};
    for (std::size_t i = 0; i < waiting.size() && i < kMostNodes; ++i) {
      for (const Use& use : index_.uses(waiting[i])) {
        const Node& reader = index_.graph().nodes[use.node];
        if (use.input == 0 && passes_on(reader)) {
          waiting.push_back(reader.outputs.front());
        } else if (able_.has(reader.kind) && becomes_codes(op_id(reader))) {
          return true;
        }
      }
    }
    return false;
  }

  /// Whether the value is only moved from one that is there in float, an input or what an op
  /// computes in float, and nobody else reads codes of what is moved: then a reader of floats moves
  /// the floats.
  bool is_moved_float(const ValuePair& pair) const {
    if (pair.side != Side::q_output || !pair.input_factors.empty()) return false;
    std::string value = pair.reference;
    for (std::size_t step = 0; step < kMostNodes; ++step) {
      const std::optional<std::size_t> producer = index_.producer(value);
      if (!producer) return step > 0 && inputs_.contains(value);
      const Node& node = index_.graph().nodes[*producer];
      if (!passes_on(node)) {
        const auto source = pairs_.find(value);
        return step > 0 && source != pairs_.end() &&
               (source->second->side == Side::float_ || is_float(*source->second));
      }
      if (is_read_in_codes(value)) return false;
      value = node.inputs.front();
    }
    return false;
  }

  /// What the quantized model's side of a value means to a reader of floats.
  std::string meaning_of(const ValuePair& pair) {
    if (!pair.params) return pair.quantized;
    if (const auto floats = is_float(pair) ? place_of(pair) : std::nullopt) return *floats;
    std::string name = fresh();
    nodes_.push_back(with_params(Kind::dequantize, pair, pair.quantized, name));
    return name;
  }

  Node named(Node node) {
    node.name = fresh();
    return node;
  }

  Node with_params(Kind kind, const ValuePair& pair, const std::string& input,
                   const std::string& output) {
    std::vector<QParams> params = pair.channel_params;
    if (params.empty()) params.push_back(*pair.params);
    Node node = named(node_of(kind, {input, fresh(), fresh()}, output));  // as a Coding has them
    Shape shape;
    if (!pair.channel_params.empty()) {
      shape = {static_cast<std::int64_t>(params.size())};
      node.roles = roles::Coding{.axis = pair.scheme->axis.value_or(1)};
    }
    std::vector<float> scales;
    std::vector<std::int32_t> zeros;
    for (const QParams& one : params) {
      scales.push_back(one.scale);
      zeros.push_back(one.zero_point);
    }
    patch_.weights.emplace_back(scale_of(node), Tensor::from<float>(shape, std::move(scales)));
    patch_.weights.emplace_back(zero_point_of(node),
                                codes_tensor(pair.scheme->dtype, shape, zeros));
    return node;
  }

  const GraphIndex& index_;
  const GraphIndex& quantized_index_;
  const Capabilities& able_;
  Ops ids_;                                                  // those in float
  std::unordered_map<std::string, std::string> inputs_;      // by name of the reference
  std::unordered_map<std::string, const ValuePair*> pairs_;  // likewise by value
  std::set<std::string> without_side_;   // values of the reference that nothing stands for
  std::set<std::string> folded_;         // ids of ops that constants of others hold
  std::set<std::string> changed_;        // ids of ops that differ in the two files
  std::vector<const ValuePair*> roots_;  // in order of flow
  std::string prefix_ = "quantlens/float/";
  std::size_t count_ = 0;
  std::size_t made_ = 0;     // nodes of this root
  std::vector<Node> nodes_;  // likewise
  // Names in float, by value of the reference: for all roots, and for the one at hand alone, whose
  // nodes may stand behind those of the next.
  std::unordered_map<std::string, std::string> known_, nearby_;
  std::unordered_map<std::string, Floats> floats_;  // by what dequantizes their codes
  bool failed_ = false;
  Patch patch_;
};

}  // namespace

std::optional<Patch> float_ops(const PairedModels& models, const std::vector<OpRef>& ops) {
  if (!speaks_within(models.reference.model, models.quantized.model)) return std::nullopt;
  std::optional<Patch> patch = FloatOps(models, ops).patch();
  if (patch) patch->copied_from = &models.reference.model;
  return patch;
}

}  // namespace quantlens
