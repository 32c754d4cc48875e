// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/ranks.h"

#include <algorithm>
#include <optional>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

using Ranks = std::unordered_map<std::string, std::size_t>;

/// Whether the result has as many dimensions as the first input.
bool keeps_rank(Kind kind) {
  if (is_elementwise(kind)) return true;
  switch (kind) {
    case Kind::batch_norm:
    case Kind::layer_norm:
    case Kind::instance_norm:
    case Kind::softmax:
    case Kind::concat:
    case Kind::max_pool:
    case Kind::average_pool:
    case Kind::global_average_pool:
    case Kind::transpose:
    case Kind::slice:
    case Kind::split:
    case Kind::tile:
    case Kind::pad:
    case Kind::resize:
      return true;
    default:
      return false;
  }
}

bool keeps_axes(const Node& node) {
  const auto* reduction = role<roles::Reduction>(node);
  return reduction != nullptr && reduction->keeps_axes;
}

class RankInference {
 public:
  explicit RankInference(const GraphIndex& index) : index_(index) {
    const Graph& graph = index.graph();
    for (const ValueInfo& value : graph.inputs) add(value);
    for (const ValueInfo& value : graph.outputs) add(value);
    for (const auto& [name, value] : graph.values) add(value);
    for (const Node& node : graph.nodes) {
      if (op_id(node).empty()) continue;
      if (const std::optional<std::size_t> rank = result_rank(node)) {
        // Behind its first result a batch_norm gives numbers of the channels.
        const bool is_norm = node.kind == Kind::batch_norm;
        for (const std::string& output : node.outputs) {
          if (!is_norm || output == op_id(node)) ranks_.emplace(output, *rank);
        }
      }
      if (const auto length = this->length(op_id(node))) lengths_.emplace(op_id(node), *length);
    }
  }

  Ranks take() { return std::move(ranks_); }

 private:
  void add(const ValueInfo& value) {
    if (value.shape) ranks_.emplace(value.name, value.shape->size());
  }

  std::optional<std::size_t> rank(const std::string& value) const {
    if (const Tensor* tensor = index_.constant(value)) return tensor->shape().size();
    const auto found = ranks_.find(value);
    return found == ranks_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<std::size_t> rank(const Node& node, std::size_t input) const {
    return rank(input_of(node, input));
  }

  /// The largest of all inputs', where all are known.
  std::optional<std::size_t> broadcast(const Node& node) const {
    std::size_t largest = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::optional<std::size_t> one = rank(node, i);
      if (!one) return std::nullopt;
      largest = std::max(largest, *one);
    }
    return largest;
  }

  /// How many elements a list of integers has: a constant one, a scalar made a list, or several
  /// lists joined.
  std::optional<std::size_t> length(const std::string& list) const {
    if (const auto length = length_of_constant(list)) return length;
    const std::optional<std::size_t> producer = index_.producer(list);
    if (!producer) return std::nullopt;
    const Node& node = index_.graph().nodes[*producer];
    if (node.kind == Kind::unsqueeze) return rank(node, 0) == 0 ? std::optional(1U) : std::nullopt;
    if (node.kind != Kind::concat) return std::nullopt;
    std::size_t sum = 0;
    for (const std::string& part : node.inputs) {
      const auto found = lengths_.find(part);
      const Tensor* tensor = index_.constant(part);
      if (found == lengths_.end() && tensor == nullptr) return std::nullopt;
      sum += tensor ? static_cast<std::size_t>(tensor->size()) : found->second;
    }
    return sum;
  }

  /// The indices' dimensions stand where one of the data's was.
  static std::optional<std::size_t> gathered(std::optional<std::size_t> data,
                                             std::optional<std::size_t> indices) {
    if (!data || !indices || *data == 0) return std::nullopt;
    return *data - 1 + *indices;
  }

  std::optional<std::size_t> of_convolution(const Node& node) const {
    const std::optional<std::size_t> weight = rank(weight_of(node));
    return weight ? weight : rank(data_of(node));
  }

  std::optional<std::size_t> unsqueezed(const Node& node) const {
    const std::optional<std::size_t> before = rank(node, 0);
    const std::size_t added = axes_named(index_, node).size();
    return before && added > 0 ? std::optional(*before + added) : std::nullopt;
  }

  std::optional<std::size_t> squeezed(const Node& node) const {
    return without(rank(node, 0), axes_named(index_, node).size());
  }

  /// Of one that drops its axes.
  std::optional<std::size_t> reduced(const Node& node) const {
    const auto* reduction = role<roles::Reduction>(node);
    if (reduction == nullptr) return std::nullopt;
    const std::string& input = axes_input_of(node);
    const std::size_t gone =
        input.empty() ? reduction->axes.size() : length_of_constant(input).value_or(0);
    return without(rank(node, 0), gone);
  }

  std::optional<std::size_t> length_of_constant(const std::string& list) const {
    const Tensor* tensor = index_.constant(list);
    return tensor ? std::optional(static_cast<std::size_t>(tensor->size())) : std::nullopt;
  }

  static std::optional<std::size_t> without(std::optional<std::size_t> rank, std::size_t gone) {
    return rank && gone > 0 && gone <= *rank ? std::optional(*rank - gone) : std::nullopt;
  }

  /// Of the first output; ops with several make values of one rank, or are not listed.
  std::optional<std::size_t> result_rank(const Node& node) const {
    if (keeps_rank(node.kind)) return rank(node, 0);
    switch (node.kind) {
      case Kind::gemm:
      case Kind::flatten:
        return 2;
      case Kind::conv:
      case Kind::conv_transpose:
        return of_convolution(node);
      case Kind::matmul:
        return rank(left_of(node)) == 1 || rank(right_of(node)) == 1 ? std::nullopt
                                                                     : broadcast(node);
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div:
      case Kind::pow:
      case Kind::min:
      case Kind::max:
      case Kind::where:
        return broadcast(node);
      case Kind::reduce_mean:
      case Kind::reduce_sum:
      case Kind::reduce_max:
      case Kind::reduce_min:
        return keeps_axes(node) ? rank(node, 0) : reduced(node);
      case Kind::reshape:
        return length(new_shape_of(node));
      case Kind::shape_of:
        return 1;
      case Kind::unsqueeze:
        return unsqueezed(node);
      case Kind::squeeze:
        return squeezed(node);
      case Kind::gather:
        return gathered(rank(node, 0), rank(indices_of(node)));
      default:
        return std::nullopt;
    }
  }

  const GraphIndex& index_;
  Ranks ranks_;
  Ranks lengths_;  // of lists of integers, where known
};

}  // namespace

Ranks ranks(const GraphIndex& index) {
  return RankInference(index).take();
}

}  // namespace quantlens
