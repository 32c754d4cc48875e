// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/local_nodes.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/graph/order.h"
#include "quantlens/runtime/tensorflow/tap_ops.h"

namespace quantlens::tensorflow {
namespace {

using graphdef::AttributeWriter;
using graphdef::Codes;
using graphdef::NewNode;
using graphdef::NodeParts;

/// The codes that readers of a pair's quantized side read; the first is empty where these are
/// floats.
std::pair<std::vector<QParams>, Scheme> codes_of(const PairTap& pair) {
  if (!pair.readers_params.empty()) return {pair.readers_params, pair.readers_scheme};
  if (!pair.params) return {};
  const Scheme scheme = pair.scheme.value_or(Scheme());
  if (!pair.channel_params.empty()) return {pair.channel_params, scheme};
  return {{*pair.params}, scheme};
}

std::optional<int> axis_of(const std::vector<QParams>& params, const Scheme& scheme) {
  if (params.size() == 1) return std::nullopt;
  return scheme.axis.value_or(1);
}

/// The same node under another name, which makes codes of this value.
NewNode quantizer_like(const NodeParts& node, const std::string& name, const std::string& floats) {
  NewNode made = copy_of(node, name);
  made.inputs.assign(node.inputs.begin(), node.inputs.end());
  made.inputs.at(0) = floats;
  return made;
}

}  // namespace

std::string local_obstacle(const PairTap& pair, DataType reference, DataType quantized) {
  const auto [params, scheme] = codes_of(pair);
  if (params.empty()) {
    return reference == quantized ? std::string()
                                  : "the reference's value is of another type than this one";
  }
  if (reference != DataType::float32) return "TensorFlow makes codes of float32 alone";
  if (!graphdef::code_type(scheme.dtype, params))
    return "TensorFlow's codes are int8 or uint8 without a zero point";
  return {};
}

LocalNodes::LocalNodes(const graphdef::GraphFile& file, const TypeOf& type_of,
                       const LocalReference& reference, const std::string& prefix,
                       const std::string& number)
    : file_(file), type_of_(type_of) {
  const GraphIndex index(file.model().graph);
  std::size_t count = 0;
  const auto new_name = [&] { return fmt::format("{}local/{}", prefix, count++); };
  const LocalReaders readers = local_readers(index, reference.spec, reference.slots, new_name);
  for (const LocalValue& local : readers.values) {
    const PairTap& pair = reference.spec.pairs[local.slot];
    const bool codes = local.codes || !pair.readers_params.empty();
    const std::string name = codes ? local.name + "/kept" : local.name;
    nodes_.push_back(kept_node(name, local, reference.type_of(pair.reference), number));
    if (codes) add_codes(pair, name, local.name);
    StandIn& made = stand_ins_[local.value];
    made.name = local.name;
    for (const Use& use : index.uses(local.value)) {
      const auto changed = readers.inputs.find(use.node);
      if (changed == readers.inputs.end() || !changed->second.contains(use.input))
        made.others.insert(index.graph().nodes[use.node].name);
    }
  }
}

const std::string* LocalNodes::read_by(std::string_view node, const std::string& value) const {
  const auto found = stand_ins_.find(value);
  if (found == stand_ins_.end()) return nullptr;
  const auto& [name, others] = found->second;
  return others.contains(std::string(node)) ? nullptr : &name;
}

NewNode LocalNodes::kept_node(const std::string& name, const LocalValue& local, DataType type,
                              const std::string& number) const {
  AttributeWriter attributes;
  attributes.type("T", static_cast<graphdef::Type>(type))
      .type("U", static_cast<graphdef::Type>(type_of_(local.value)))
      .number(kTapSlot, static_cast<std::int64_t>(local.slot));
  return {.name = name,
          .type = kKeptOp,
          .inputs = {local.value, number},
          .attributes = attributes.take()};
}

/// Codes as the graph's own node makes them, or one with the parameters that an int8 op declares;
/// what these mean, where readers read floats.
void LocalNodes::add_codes(const PairTap& pair, const std::string& floats,
                           const std::string& codes) {
  const auto [params, scheme] = codes_of(pair);
  if (!pair.readers_params.empty()) {
    const Codes made = add_quantizer(params, scheme, floats, codes + "/codes");
    nodes_.push_back(dequantize_node(codes, made, axis_of(params, scheme)));
    return;
  }
  const NodeParts* maker = file_.find(file_.reference(pair.quantized).node);
  if (maker != nullptr && maker->type == "QuantizeV2" && pair.channel_params.empty()) {
    nodes_.push_back(quantizer_like(*maker, codes, floats));
  } else {
    add_quantizer(params, scheme, floats, codes);
  }
}

Codes LocalNodes::add_quantizer(const std::vector<QParams>& params, const Scheme& scheme,
                                const std::string& floats, const std::string& codes) {
  Codes made(codes, *graphdef::code_type(scheme.dtype, params));
  made.is_narrow = false;
  const graphdef::RangeNodes range{.min = codes + "/min", .max = codes + "/max"};
  for (NewNode& node : range_nodes(range, made.type, params)) nodes_.push_back(std::move(node));
  nodes_.push_back(quantize_node(made, floats, range, axis_of(params, scheme)));
  return made;
}

}  // namespace quantlens::tensorflow
