// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/insert_taps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/graph/names.h"
#include "quantlens/runtime/local_readers.h"
#include "quantlens/runtime/onnxruntime/tap_ops.h"
#include "quantlens/runtime/onnxruntime/value_places.h"

namespace quantlens::onnxruntime {
namespace {

#if defined(__x86_64__)
constexpr bool kRuntimeWantsUnsigned = true;
#else
constexpr bool kRuntimeWantsUnsigned = false;
#endif

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
  Tokens(const Model& reference, const Model* quantized) {
    while (begins_a_name(reference.graph, prefix_) ||
           (quantized != nullptr && begins_a_name(quantized->graph, prefix_))) {
      prefix_ += '_';
    }
  }
  std::string next() { return fmt::format("{}{}", prefix_, ++count_); }

 private:
  std::string prefix_ = "quantlens/";
  std::size_t count_ = 0;
};

/// Sorts the taps of a spec into those that can be placed and those that cannot.
/// Pairs need a quantized model.
std::vector<Placed> place_taps(const ValuePlaces& values, const ValuePlaces* quantized_values,
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
constexpr const char* kMicrosoft = "com.microsoft";
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
      : index_(quantized), spec_(spec), edit_(edit), tokens_(tokens) {}

  void add(const std::vector<Placed>& placed) {
    std::vector<std::size_t> slots;
    for (const Placed& tap : placed) {
      if (tap.quantized) slots.push_back(tap.slot);
    }
    const LocalReaders readers =
        local_readers(index_, spec_, slots, [this] { return tokens_.next(); });
    for (const auto& [node, inputs] : readers.inputs) edit_.inputs[node] = inputs;
    for (const auto& [node, names] : readers.captured) edit_.captured[node] = names;
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
    edit_.inserted.emplace(index_.graph().nodes.size(), std::move(node));
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
      const Node& node = index_.graph().nodes[*producer];
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
    std::vector<std::int32_t> zero_points;
    for (const QParams& one : params) {
      scales.push_back(one.scale);
      zero_points.push_back(one.zero_point);
    }
    edit_.weights.emplace_back(node.inputs[1], Tensor::from<float>(shape, std::move(scales)));
    edit_.weights.emplace_back(node.inputs[2], codes_tensor(scheme.dtype, shape, zero_points));
    if (byte_size(scheme.dtype) > 1) {  // of any opset, where ONNX's own needs 21
      node.domain = kMicrosoft;
      edit_.opsets[kMicrosoft] = 1;
    }
    return node;
  }

  const GraphIndex& index_;  // of the quantized model
  const TapSpec& spec_;
  onnx::Edit& edit_;
  Tokens& tokens_;
};

}  // namespace

TapEdits insert_taps(const Model& reference, const Model* quantized, const TapSpec& spec,
                     const Placement& placement) {
  TapEdits edits;
  const ValuePlaces values(reference);
  std::optional<ValuePlaces> quantized_values;
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
