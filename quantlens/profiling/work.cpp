// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/work.h"

#include <algorithm>
#include <vector>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

/// Looks up what a value is.
class Lookup {
 public:
  Lookup(const Graph& graph, const ValueTypes& types) : graph_(graph), types_(types) {}

  std::optional<TensorType> find(const std::string& value) const {
    const auto type = types_.find(value);
    if (type != types_.end()) return type->second;
    const auto weight = graph_.weights.find(value);
    if (weight == graph_.weights.end()) return std::nullopt;
    return TensorType{weight->second.dtype(), weight->second.shape()};
  }

  std::optional<std::uint64_t> elements(const std::string& value) const {
    const std::optional<TensorType> type = find(value);
    if (!type) return std::nullopt;
    return static_cast<std::uint64_t>(element_count(type->shape).value_or(0));
  }

  std::optional<std::uint64_t> bytes(const std::string& value) const {
    const std::optional<TensorType> type = find(value);
    if (!type || type->dtype == DType::string) return std::nullopt;
    return static_cast<std::uint64_t>(element_count(type->shape).value_or(0)) *
           byte_size(type->dtype);
  }

 private:
  const Graph& graph_;
  const ValueTypes& types_;
};

std::uint64_t extent(const TensorType& type, std::size_t axis) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(type.shape.at(axis), 0));
}

/// How many elements of a weight stand along one extent of an axis; nothing where that is unknown.
std::optional<std::uint64_t> elements_each(const TensorType& weight, std::size_t axis) {
  if (axis >= weight.shape.size() || extent(weight, axis) == 0) return std::nullopt;
  return static_cast<std::uint64_t>(element_count(weight.shape).value_or(0)) / extent(weight, axis);
}

/// Multiplications of a convolution: each output element takes one for each element of a filter of
/// its group, in every layout: blocked ones only pad the weight. Of a transposed one, each input
/// element goes through all filters of its channel.
std::optional<std::uint64_t> of_convolution(const Node& node, const Lookup& lookup) {
  const auto weight = lookup.find(weight_of(node));
  if (!weight || node.outputs.empty()) return std::nullopt;
  const std::optional<WeightAxes> axes = weight_axes(node, weight->shape.size());
  if (!axes) return std::nullopt;
  const bool is_transposed = node.kind == Kind::conv_transpose;
  const auto each = elements_each(*weight, is_transposed ? axes->input : axes->output);
  const auto elements = lookup.elements(is_transposed ? data_of(node) : node.outputs[0]);
  return each && elements ? std::optional(2 * *each * *elements) : std::nullopt;
}

/// Of LSTM, GRU, RNN (x is [T,N,I]): each weight once a step and sample.
std::optional<std::uint64_t> of_recurrent(const Node& node, const Lookup& lookup) {
  const auto* role = quantlens::role<roles::Recurrence>(node);
  if (role == nullptr || node.inputs.empty()) return std::nullopt;
  const auto x = lookup.find(node.inputs[0]);
  const auto weights = lookup.elements(input_of(node, role->operands.weight));
  const auto recurrent = lookup.elements(input_of(node, role->operands.recurrent));
  if (!x || x->shape.size() != 3 || !weights || !recurrent) return std::nullopt;
  return 2 * extent(*x, 0) * extent(*x, 1) * (*weights + *recurrent);
}

/// Of a matrix product: the inner extent is the last of `a`, or the one before where it is
/// transposed; that is the first where the batch is transposed with it.
std::optional<std::uint64_t> of_product(const Node& node, const Lookup& lookup) {
  if (node.inputs.empty() || node.outputs.empty()) return std::nullopt;
  const auto a = lookup.find(node.inputs[0]);
  const auto outputs = lookup.elements(node.outputs[0]);
  if (!a || !outputs || a->shape.empty()) return std::nullopt;
  const auto* product = role<roles::MatrixProduct>(node);
  const bool is_transposed = transposes_a(node) && a->shape.size() > 1;
  const bool is_batch_transposed = product != nullptr && product->transposes_batch_a;
  const std::size_t inner = !is_transposed        ? a->shape.size() - 1
                            : is_batch_transposed ? 0
                                                  : a->shape.size() - 2;
  return 2 * extent(*a, inner) * *outputs;
}

bool is_product(const Node& node) {
  return role<roles::MatrixProduct>(node) != nullptr || node.kind == Kind::matmul_blocks;
}

bool is_move(const Node& node) {
  return moves_elements(node.kind) || node.kind == Kind::concat || node.kind == Kind::slice ||
         node.kind == Kind::split || node.kind == Kind::gather ||
         node.kind == Kind::gather_elements || node.kind == Kind::tile ||
         node.kind == Kind::expand || node.kind == Kind::pad || node.kind == Kind::identity ||
         role<roles::Reorder>(node) != nullptr;
}

/// Kinds that multiply in ways that are not told here.
bool is_unknown(const Node& node) {
  return node.kind == Kind::control_flow || !node.subgraphs.empty() ||
         role<roles::UntoldProduct>(node) != nullptr;
}

std::optional<std::uint64_t> operations_of(const Node& node, const Lookup& lookup) {
  if (role<roles::Convolution>(node) != nullptr) return of_convolution(node, lookup);
  if (is_product(node)) return of_product(node, lookup);
  if (is_move(node)) return 0;
  if (node.kind == Kind::recurrent) return of_recurrent(node, lookup);
  if (is_unknown(node)) return std::nullopt;
  std::optional<std::uint64_t>
      most;  // a reduction looks at each input, an elementwise op makes each output
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) most = std::max(most, lookup.elements(name));
  }
  return most;
}

std::optional<std::uint64_t> bytes_of(const Node& node, const Lookup& lookup) {
  std::uint64_t sum = 0;
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    const auto bytes = lookup.bytes(output);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  const bool gathers = node.kind == Kind::gather || node.kind == Kind::gather_elements ||
                       node.kind == Kind::gather_blocks;
  if (gathers) sum *= 2;
  for (const std::string& input : node.inputs) {
    if (input.empty() || (gathers && input != indices_of(node))) continue;
    const auto bytes = lookup.bytes(input);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

}  // namespace

Work work_of(const Node& node, const Graph& graph, const ValueTypes& types) {
  const Lookup lookup(graph, types);
  return {.bytes = bytes_of(node, lookup),
          .operations = operations_of(node, lookup),
          .integer = uses_codes(node.kind)};
}

std::string type_text(const std::string& value, const Graph& graph, const ValueTypes& types) {
  const std::optional<TensorType> type = Lookup(graph, types).find(value);
  if (!type) return "";
  return std::string(name(type->dtype)) + to_string(type->shape);
}

}  // namespace quantlens
