// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/value_places.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/names.h"

namespace quantlens::onnxruntime {
namespace {

bool has_name(const Graph& graph, const std::string& value) {
  bool has = false;
  for_each_name(graph, [&](const std::string& name) { has = has || name == value; });
  return has;
}

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

}  // namespace

ValuePlaces::ValuePlaces(const Model& model) : model_(model), index_(model.graph) {
  for (const Node& node : model.graph.nodes) {
    if (makes_image(node)) images_.insert(node.outputs.begin(), node.outputs.end());
  }
}

Place ValuePlaces::find(const std::string& value) const {
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
      if (!has_name(*body, value)) continue;
      return {0, fmt::format("'{}' is computed inside the body of '{}'", printable(value),
                             printable(op_name(node)))};
    }
  }
  std::set<std::string> names;
  for_each_name(model_.graph, [&](const std::string& name) { names.insert(name); });
  const std::string hint = did_you_mean(value, std::vector(names.begin(), names.end()));
  throw Error(Errc::not_found, fmt::format("{}: there is no value '{}'{}{}", where(),
                                           printable(value), hint.empty() ? "" : "; ", hint));
}

std::optional<SignedCodes> ValuePlaces::signed_codes(const std::string& value) const {
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

std::optional<std::int64_t> ValuePlaces::int8_zero_point(const Node& node) const {
  if (node.inputs.size() < 3 || node.attributes.contains("output_dtype")) return {};
  const Tensor* zero_point = index_.constant(node.inputs[2]);
  if (zero_point == nullptr || zero_point->dtype() != DType::int8 || zero_point->size() != 1) {
    return {};
  }
  return to_int64(*zero_point)[0];
}

bool ValuePlaces::makes_image(const Node& node) const {
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

std::optional<std::size_t> ValuePlaces::rank_of_weight(const std::string& name) const {
  if (const Tensor* weight = index_.constant(name)) return weight->shape().size();
  const std::optional<std::size_t> node = index_.producer(name);
  if (!node || model_.graph.nodes[*node].kind != Kind::dequantize) return std::nullopt;
  const Tensor* codes = index_.constant(model_.graph.nodes[*node].inputs.at(0));
  if (codes == nullptr) return std::nullopt;
  return codes->shape().size();
}

std::string ValuePlaces::where() const {
  return printable(model_.path.string());
}

}  // namespace quantlens::onnxruntime
