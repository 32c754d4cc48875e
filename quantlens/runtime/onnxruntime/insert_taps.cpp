// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/insert_taps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/local_readers.h"
#include "quantlens/runtime/onnxruntime/tap_ops.h"

namespace quantlens::onnxruntime {
namespace {

/// Calls `seen(name)` for every name of the graph and its subgraphs (their depth is limited by the
/// frontend).
template <class F>
void for_each_name(const Graph& graph, const F& seen) {
  for (const ValueInfo& input : graph.inputs) seen(input.name);
  for (const auto& [name, weight] : graph.weights) seen(name);
  std::ranges::for_each(graph.opaque_weights, seen);
  for (const Node& node : graph.nodes) {
    std::ranges::for_each(node.outputs, seen);
    for (const auto& [key, body] : node.subgraphs) for_each_name(*body, seen);
  }
}

bool makes(const Graph& graph, const std::string& value) {
  const auto is_it = [&](const ValueInfo& info) { return info.name == value; };
  if (graph.weights.contains(value) || std::ranges::any_of(graph.inputs, is_it)) return true;
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    if (std::ranges::find(node.outputs, value) != node.outputs.end()) return true;
    return std::ranges::any_of(node.subgraphs,
                               [&](const auto& body) { return makes(*body.second, value); });
  });
}

/// Where a value of one model stands, or why it cannot be tapped.
struct Place {
  std::size_t position = 0;  ///< 0: a graph input, else one more than its node's number
  std::string obstacle;      ///< empty: none
};

#if defined(__x86_64__)
constexpr bool kRuntimeWantsUnsigned = true;
#else
constexpr bool kRuntimeWantsUnsigned = false;
#endif

/// Int8 codes that the runtime would turn into uint8 ones: who makes them, and their only reader.
struct SignedCodes {
  std::size_t quantize = 0;
  std::size_t dequantize = 0;
  std::int64_t zero_point = 0;
};

/// Inputs of a node that are data of the same rank as its output, where its kind keeps the rank;
/// none for other kinds.
std::vector<std::string> inputs_of_equal_rank(const Node& node) {
  const auto every = [&](std::size_t first, std::size_t step, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = first; i < node.inputs.size() && names.size() < count; i += step) {
      names.push_back(node.inputs[i]);
    }
    return names;
  };
  switch (node.kind) {
    case Kind::quantize:
    case Kind::dequantize:
    case Kind::relu:
    case Kind::clip:
    case Kind::leaky_relu:
    case Kind::sigmoid:
    case Kind::hard_sigmoid:
    case Kind::hard_swish:
    case Kind::batch_norm:
    case Kind::max_pool:
    case Kind::average_pool:
    case Kind::global_average_pool:
    case Kind::qaverage_pool:
    case Kind::qglobal_average_pool:
      return every(0, 1, 1);
    case Kind::add:
    case Kind::mul:
      return every(0, 1, 2);
    case Kind::qadd:
    case Kind::qmul:
      return every(0, 3, 2);  // (a, scale, zero_point, b, scale, zero_point, ...)
    case Kind::concat:
      return every(0, 1, node.inputs.size());
    case Kind::qconcat:
      return every(2, 3, node.inputs.size());  // (scale, zero_point, then three for each)
    default:
      return {};
  }
}

/// Finds the values of one model.
class Values {
 public:
  explicit Values(const Model& model) : model_(model), index_(model.graph) {
    for (const Node& node : model.graph.nodes) {
      if (makes_image(node)) images_.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  Place find(const std::string& value) const {
    if (index_.constant(value) != nullptr || model_.graph.opaque_weights.contains(value)) {
      throw Error(Errc::not_found,
                  fmt::format("{}: '{}' is a weight; only values that change with the input can be "
                              "observed",
                              where(), printable(value)));
    }
    if (index_.is_input(value)) return {};
    if (const std::optional<std::size_t> node = index_.producer(value)) return {*node + 1, {}};
    for (const Node& node : model_.graph.nodes) {
      for (const auto& [key, body] : node.subgraphs) {
        if (!makes(*body, value)) continue;
        return {0, fmt::format("'{}' is computed inside the body of '{}'", printable(value),
                               printable(op_name(node)))};
      }
    }
    std::vector<std::string> names;
    for_each_name(model_.graph, [&](const std::string& name) { names.push_back(name); });
    const std::string hint = did_you_mean(value, names);
    throw Error(Errc::not_found, fmt::format("{}: there is no value '{}'{}{}", where(),
                                             printable(value), hint.empty() ? "" : "; ", hint));
  }

  const GraphIndex& index() const { return index_; }

  /// Whether this is surely [N,C,H,W]: from a convolution, by ops that keep the rank.
  bool is_image(const std::string& value) const { return images_.contains(value); }

  std::optional<SignedCodes> signed_codes(const std::string& value) const {
    const std::optional<std::size_t> quantize = index_.producer(value);
    const auto& uses = index_.uses(value);
    if (!quantize || uses.size() != 1 || uses[0].input != 0 || index_.is_output(value)) return {};
    const Node& q = model_.graph.nodes[*quantize];
    const Node& dq = model_.graph.nodes[uses[0].node];
    if (q.kind != Kind::quantize || dq.kind != Kind::dequantize) return {};
    const std::string& real = dq.outputs.at(0);
    if (index_.uses(real).size() + (index_.is_output(real) ? 1 : 0) != 1) return {};
    const std::optional<std::int64_t> zero_point = int8_zero_point(q);
    if (!zero_point || zero_point != int8_zero_point(dq)) return {};
    return SignedCodes{*quantize, uses[0].node, *zero_point};
  }

 private:
  std::optional<std::int64_t> int8_zero_point(const Node& node) const {
    if (node.inputs.size() < 3 || node.attributes.contains("output_dtype")) return {};
    const Tensor* zero_point = index_.constant(node.inputs[2]);
    if (zero_point == nullptr || zero_point->dtype() != DType::int8 || zero_point->size() != 1) {
      return {};
    }
    return to_int64(*zero_point)[0];
  }

  bool makes_image(const Node& node) const {
    if (node.kind == Kind::conv || node.kind == Kind::qconv) {
      const std::size_t at = node.kind == Kind::conv ? 1 : 3;
      return node.inputs.size() > at && rank_of_weight(node.inputs[at]) == 4;
    }
    const std::vector<std::string> inputs = inputs_of_equal_rank(node);
    return std::ranges::any_of(inputs, [&](const auto& name) { return is_image(name); }) &&
           std::ranges::all_of(inputs, [&](const std::string& name) {
             return is_image(name) || rank_of_weight(name).value_or(5) <= 4;
           });
  }

  /// Of a weight, also of a dequantized one.
  std::optional<std::size_t> rank_of_weight(const std::string& name) const {
    if (const Tensor* weight = index_.constant(name)) return weight->shape().size();
    const std::optional<std::size_t> node = index_.producer(name);
    if (!node || model_.graph.nodes[*node].kind != Kind::dequantize) return std::nullopt;
    const Tensor* codes = index_.constant(model_.graph.nodes[*node].inputs.at(0));
    if (codes == nullptr) return std::nullopt;
    return codes->shape().size();
  }

  std::string where() const { return printable(model_.path.string()); }

  const Model& model_;
  GraphIndex index_;
  std::unordered_set<std::string> images_;
};

/// A tap that can be placed.
struct Placed {
  std::size_t slot = 0;
  std::size_t reference = 0;             ///< position of its value
  std::optional<std::size_t> quantized;  ///< likewise, of a pair
  bool channels_last = false;            ///< of a pair: both are shown as [N,H,W,C]
  std::optional<SignedCodes> codes;      ///< to be made uint8
};

/// Makes names that no model uses: none of theirs begins like these.
class Tokens {
 public:
  explicit Tokens(const Model& reference, const Model* quantized) {
    while (begins_a_name(reference) || (quantized != nullptr && begins_a_name(*quantized))) {
      prefix_ += '_';
    }
  }
  std::string next() { return fmt::format("{}/{}", prefix_, ++count_); }

 private:
  bool begins_a_name(const Model& model) const {
    bool begins = false;
    for_each_name(model.graph, [&](const std::string& name) {
      begins = begins || name.starts_with(prefix_ + '/');
    });
    return begins;
  }

  std::string prefix_ = "quantlens";
  std::size_t count_ = 0;
};

/// Sorts the taps of a spec into those that can be placed and those that cannot.
/// Pairs need a quantized model.
std::vector<Placed> place_taps(const Values& values, const Values* quantized_values,
                               const TapSpec& spec, TapEdits& edits) {
  std::vector<Placed> placed;
  for (std::size_t slot = 0; slot < spec.taps.size(); ++slot) {
    const Place place = values.find(spec.taps[slot].value);
    if (place.obstacle.empty()) {
      placed.push_back({slot, place.position, std::nullopt, false, std::nullopt});
    } else {
      edits.dropped_taps.push_back({slot, place.obstacle});
    }
  }
  if (quantized_values == nullptr) return placed;
  for (std::size_t slot = 0; slot < spec.pairs.size(); ++slot) {
    const Place x = values.find(spec.pairs[slot].reference);
    const Place q = quantized_values->find(spec.pairs[slot].quantized);
    if (x.obstacle.empty() && q.obstacle.empty()) {
      const bool images = spec.pairs[slot].sample_axis == 0 &&
                          values.is_image(spec.pairs[slot].reference) &&
                          quantized_values->is_image(spec.pairs[slot].quantized);
      placed.push_back({slot, x.position, q.position, images, std::nullopt});
      if (images) edits.channels_last.push_back(slot);
      if (kRuntimeWantsUnsigned) {
        placed.back().codes = quantized_values->signed_codes(spec.pairs[slot].quantized);
      }
      edits.has_pairs = true;
    } else {
      edits.dropped_pairs.push_back({slot, x.obstacle.empty() ? q.obstacle : x.obstacle});
    }
  }
  return placed;
}

/// Marks a name of the first model in the edit of the second (onnx::merge).
constexpr char kFirst = '\1';

/// The outputs that are surely tensors.
std::vector<std::string> outputs_of(const Model& model) {
  std::vector<std::string> names;
  for (const ValueInfo& output : model.graph.outputs) {
    if (output.dtype) names.push_back(output.name);
  }
  return names;
}

/// An image with its channels last.
Node channels_last_node(const std::string& value, const std::string& name) {
  Node node;
  node.name = name;
  node.type = "Transpose";
  node.kind = Kind::transpose;
  node.inputs = {value};
  node.outputs = {name};
  node.attributes["perm"] = std::vector<std::int64_t>{0, 2, 3, 1};
  return node;
}

/// The taps of one edit, gathered in the order in which they are to run.
class Taps {
 public:
  Taps(onnx::Edit& edit, const Model& model, Tokens& tokens, std::size_t group)
      : edit_(edit), model_(model), tokens_(tokens), group_(group) {}

  void add(TapOp op, const Placed& tap, std::vector<std::string> inputs) {
    if (steps_.empty() || steps_.back().op != op || steps_.back().items.size() == group_) {
      steps_.push_back({op, {}, {}});
    }
    Step& step = steps_.back();
    for (std::string& input : inputs) {
      if (!tap.channels_last) break;
      step.before.push_back(channels_last_node(input, tokens_.next()));
      input = step.before.back().outputs.front();
    }
    const bool shifted = tap.codes && op != TapOp::keep;
    if (shifted) make_unsigned(*tap.codes);
    step.items.push_back({tap.slot, std::move(inputs), shifted});
  }

  /// Writes them to the edit, the last to run first, behind the reader of these outputs.
  void finish(const std::vector<std::string>& outputs) {
    if (!outputs.empty()) steps_.push_back({TapOp::last, {{0, outputs, false}}, {}});
    const std::size_t end = model_.graph.nodes.size();
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      for (Node& node : step->before) edit_.inserted.emplace(end, std::move(node));
      edit_.inserted.emplace(end, tap_node(step->op, step->items, tokens_.next()));
    }
    edit_.opsets[kTapDomain] = 1;
  }

 private:
  /// One node of taps, and those that it needs before it.
  struct Step {
    TapOp op;
    std::vector<TapItem> items;
    std::vector<Node> before;
  };

  void make_unsigned(const SignedCodes& codes) {
    std::string& name = zero_points_[codes.zero_point];
    if (name.empty()) {
      name = tokens_.next();
      const auto shifted = static_cast<std::uint8_t>(codes.zero_point + 128);
      edit_.weights.emplace_back(name, Tensor::scalar(shifted));
    }
    edit_.inputs[codes.quantize][2] = name;
    edit_.inputs[codes.dequantize][2] = name;
    edit_.values_dropped.insert(model_.graph.nodes[codes.quantize].outputs.at(0));
  }

  onnx::Edit& edit_;
  const Model& model_;
  Tokens& tokens_;
  std::size_t group_;
  std::map<std::int64_t, std::string> zero_points_;  // of uint8 codes, by those of int8
  std::vector<Step> steps_;
};

/// Makes what stands for the reference's values in the merged model.
class LocalValues {
 public:
  LocalValues(const GraphIndex& quantized, const TapSpec& spec, onnx::Edit& edit, Tokens& tokens)
      : graph_(quantized.graph()), index_(quantized), spec_(spec), edit_(edit), tokens_(tokens) {}

  void add(const std::vector<Placed>& placed) {
    std::vector<std::size_t> slots;
    for (const Placed& tap : placed) {
      if (tap.quantized) slots.push_back(tap.slot);
    }
    const LocalReaders readers =
        local_readers(index_, spec_, slots, [this] { return tokens_.next(); });
    for (const auto& [node, inputs] : readers.inputs) edit_.inputs[node] = inputs;
    for (const LocalValue& local : readers.values) {
      const PairTap& pair = spec_.pairs[local.slot];
      const std::string reference = kFirst + pair.reference;
      if (!pair.readers_params.empty()) {
        add_rounding(pair, reference, local.name);
        continue;
      }
      Node node = local.codes ? quantizer_of(pair) : copy();
      node.inputs[0] = reference;
      insert(std::move(node), local.name);
    }
  }

 private:
  void insert(Node node, const std::string& output) {
    node.name = tokens_.next();
    node.outputs = {output};
    edit_.inserted.emplace(graph_.nodes.size(), std::move(node));
  }

  static Node copy() {
    Node node;
    node.type = "Identity";
    node.kind = Kind::identity;
    node.inputs.resize(1);
    return node;
  }

  /// A value as codes mean it.
  void add_rounding(const PairTap& pair, const std::string& value, const std::string& rounded) {
    Node quantize = quantizer_with(pair.readers_params, pair.readers_scheme);
    quantize.inputs[0] = value;
    Node dequantize = quantize;
    dequantize.type = "DequantizeLinear";
    dequantize.kind = Kind::dequantize;
    dequantize.inputs[0] = tokens_.next();
    insert(std::move(quantize), dequantize.inputs[0]);
    insert(std::move(dequantize), rounded);
  }

  /// As the model has it, or one with the parameters that an integer op declares, or that the value
  /// has for each channel: the model may make its codes of a product.
  Node quantizer_of(const PairTap& pair) {
    const auto producer = index_.producer(pair.quantized);
    if (producer && pair.channel_params.empty()) {
      const Node& node = graph_.nodes[*producer];
      if (node.kind == Kind::quantize) return node;
    }
    std::vector<QParams> params = pair.channel_params;
    if (params.empty()) params.push_back(*pair.params);
    return quantizer_with(params, *pair.scheme);
  }

  Node quantizer_with(const std::vector<QParams>& params, const Scheme& scheme) {
    Node node;
    node.type = "QuantizeLinear";
    node.kind = Kind::quantize;
    node.inputs = {"", tokens_.next(), tokens_.next()};
    Shape shape;
    if (params.size() > 1) {
      node.attributes["axis"] = std::int64_t{scheme.axis.value_or(1)};
      shape = {static_cast<std::int64_t>(params.size())};
    }
    std::vector<float> scales;
    std::vector<std::int8_t> int8;
    std::vector<std::uint8_t> uint8;
    for (const QParams& one : params) {
      scales.push_back(one.scale);
      int8.push_back(static_cast<std::int8_t>(one.zero_point));
      uint8.push_back(static_cast<std::uint8_t>(one.zero_point));
    }
    edit_.weights.emplace_back(node.inputs[1], Tensor::from<float>(shape, std::move(scales)));
    edit_.weights.emplace_back(node.inputs[2],
                               scheme.dtype == DType::int8
                                   ? Tensor::from<std::int8_t>(shape, std::move(int8))
                                   : Tensor::from<std::uint8_t>(shape, std::move(uint8)));
    return node;
  }

  const Graph& graph_;
  const GraphIndex& index_;
  const TapSpec& spec_;
  onnx::Edit& edit_;
  Tokens& tokens_;
};

}  // namespace

TapEdits insert_taps(const Model& reference, const Model* quantized, const TapSpec& spec,
                     const Placement& placement) {
  TapEdits edits;
  const Values values(reference);
  std::optional<Values> quantized_values;
  if (!spec.pairs.empty()) quantized_values.emplace(*quantized);
  std::vector<Placed> placed =
      place_taps(values, quantized_values ? &*quantized_values : nullptr, spec, edits);
  if (placed.empty()) return edits;
  std::ranges::stable_sort(
      placed, {}, [](const Placed& tap) { return std::pair(tap.reference, tap.quantized); });

  const bool merged = edits.has_pairs && placement.together == Together::merged;
  Tokens tokens(reference, quantized);
  if (merged && spec.local) {
    for (Placed& tap : placed) tap.codes.reset();  // nobody reads them but the tap
    LocalValues(quantized_values->index(), spec, edits.quantized, tokens).add(placed);
  }
  Taps taps(merged ? edits.quantized : edits.reference, merged ? *quantized : reference, tokens,
            placement.group);
  const auto of_reference = [&](const std::string& name) { return merged ? kFirst + name : name; };
  for (const Placed& tap : placed) {
    if (!tap.quantized) {
      taps.add(TapOp::observe, tap, {of_reference(spec.taps[tap.slot].value)});
    } else if (merged) {
      const PairTap& pair = spec.pairs[tap.slot];
      taps.add(TapOp::compare, tap, {of_reference(pair.reference), pair.quantized});
    } else {
      taps.add(TapOp::keep, tap, {spec.pairs[tap.slot].reference});
    }
  }
  std::vector<std::string> outputs;
  for (const std::string& name : outputs_of(reference)) outputs.push_back(of_reference(name));
  edits.reference.opsets[kTapDomain] = 1;
  if (!edits.has_pairs) {
    taps.finish(outputs);
    return edits;
  }
  const std::vector<std::string> quantized_outputs = outputs_of(*quantized);
  if (merged) {
    outputs.insert(outputs.end(), quantized_outputs.begin(), quantized_outputs.end());
  } else {
    std::erase_if(placed, [](const Placed& tap) { return !tap.quantized; });
    std::ranges::stable_sort(placed, {}, &Placed::quantized);
    Taps others(edits.quantized, *quantized, tokens, placement.group);
    for (const Placed& tap : placed) {
      others.add(TapOp::compare_kept, tap, {spec.pairs[tap.slot].quantized});
    }
    others.finish(quantized_outputs);
  }
  taps.finish(outputs);
  return edits;
}

}  // namespace quantlens::onnxruntime
