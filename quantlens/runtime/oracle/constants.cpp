// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/constants.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "quantlens/base/error.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/oracle/interpreter.h"
#include "quantlens/runtime/oracle/kernels.h"

namespace quantlens::oracle {
namespace {

constexpr std::uint64_t kTooMany = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooMany : product;
}

std::uint64_t elements(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.size());
}

/// As many as a tensor of integers asks for as a shape.
std::uint64_t elements_of_shape(const Tensor& shape) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : to_int64(shape)) {
    product = extent < 0 ? kTooMany : times(product, static_cast<std::uint64_t>(extent));
  }
  return product;
}

/// Of what operands become whose extents are stretched to each other's.
std::uint64_t elements_of_broadcast(const Call& call) {
  std::vector<std::uint64_t> extents;  // from the last axis on
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Shape& shape = call.input(i).shape();
    extents.resize(std::max(extents.size(), shape.size()), 1);
    for (std::size_t from_end = 0; from_end < shape.size(); ++from_end) {
      const auto one = static_cast<std::uint64_t>(shape[shape.size() - 1 - from_end]);
      extents[from_end] = std::max(extents[from_end], one);
    }
  }
  std::uint64_t product = 1;
  for (const std::uint64_t one : extents) product = times(product, one);
  return product;
}

/// What bounds the number of elements of an op's results.
enum class Bound { none, first_input, broadcast, all_inputs, expansion, choice, rank, shape };

Bound bound_by_type(const Node& node) {
  if (!node.domain.empty()) return Bound::none;
  if (node.type == "ReduceL2") return Bound::first_input;
  return node.type == "ConstantOfShape" ? Bound::shape : Bound::none;
}

/// None: the op is not evaluated here.
Bound bound_of(const Node& node) {
  switch (node.kind) {
    case Kind::identity:
    case Kind::transpose:
    case Kind::reshape:
    case Kind::squeeze:
    case Kind::unsqueeze:
    case Kind::flatten:
    case Kind::cast:
    case Kind::slice:
    case Kind::split:
    case Kind::sqrt:
    case Kind::reciprocal:
    case Kind::neg:
    case Kind::abs:
    case Kind::exp:
    case Kind::log:
    case Kind::tanh:
    case Kind::sigmoid:
    case Kind::relu:
    case Kind::clip:
    case Kind::reduce_mean:
    case Kind::reduce_sum:
    case Kind::reduce_max:
    case Kind::reduce_min:
      return Bound::first_input;
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
    case Kind::pow:
    case Kind::min:
    case Kind::max:
      return Bound::broadcast;
    case Kind::concat:
      return Bound::all_inputs;
    case Kind::expand:
      return Bound::expansion;
    case Kind::gather:
      return Bound::choice;
    case Kind::shape_of:
      return Bound::rank;
    default:
      return bound_by_type(node);
  }
}

/// No result has more elements than this. REQUIRES: the op has a bound.
std::uint64_t most_elements(const Call& call) {
  switch (bound_of(call.node)) {
    case Bound::broadcast:
      return elements_of_broadcast(call);
    case Bound::all_inputs: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < call.inputs.size(); ++i) sum += elements(call.input(i));
      return sum;
    }
    case Bound::expansion:
      return times(elements(call.input(0)), elements_of_shape(call.input(1)));
    case Bound::choice:
      return times(elements(call.input(0)), elements(call.input(1)));
    case Bound::rank:
      return call.input(0).shape().size();
    case Bound::shape:
      return elements_of_shape(call.input(0));
    default:
      return elements(call.input(0));
  }
}

/// The constants of a graph by name, for few questions: an index of all values takes longer to make
/// than the answers, and is made only where nodes hold constants.
class Constants {
 public:
  explicit Constants(const Graph& graph) : graph_(graph) {
    if (std::ranges::find(graph.nodes, Kind::constant, &Node::kind) != graph.nodes.end()) {
      index_.emplace(graph);
    }
  }

  const Tensor* find(const std::string& value) const {
    if (index_) return index_->constant(value);
    const auto found = graph_.weights.find(value);
    return found == graph_.weights.end() ? nullptr : &found->second;
  }

 private:
  const Graph& graph_;
  std::optional<GraphIndex> index_;
};

class Folder {
 public:
  Folder(const Model& model, std::uint64_t most_bytes)
      : model_(model), constants_(model.graph), left_(most_bytes) {}

  TensorMap run() {
    for (const Node& node : model_.graph.nodes) {
      if (node.kind == Kind::constant || fold(node)) continue;
      for (const std::string& value : node.inputs) {
        if (made_.contains(value)) read_.insert(value);
      }
    }
    TensorMap result;
    for (auto& [name, tensor] : made_) {
      if (read_.contains(name)) result.emplace(name, std::move(tensor));
    }
    return result;
  }

 private:
  /// Whether the node's outputs are known now.
  bool fold(const Node& node) {
    if (node.inputs.empty() || bound_of(node) == Bound::none) return false;
    std::vector<const Tensor*> read;
    for (const std::string& value : node.inputs) {
      read.push_back(known(value));
      if (read.back() == nullptr && !value.empty()) return false;
    }
    const Kernel kernel = kernel_of(node);
    if (kernel == nullptr) return false;
    std::vector<Tensor> inputs;
    inputs.reserve(read.size());
    for (const Tensor* tensor : read) {
      inputs.push_back(tensor == nullptr ? Tensor() : aligned(*tensor));
    }
    Call call{node, opset_of(model_, node), {}};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      call.inputs.push_back(node.inputs[i].empty() ? nullptr : &inputs[i]);
    }
    try {
      return evaluate(call, kernel);
    } catch (const Error&) {
      return false;  // the runtime will say what is wrong with it
    }
  }

  bool evaluate(const Call& call, Kernel kernel) {
    constexpr std::uint64_t kWidest = 8;  // bytes of an element
    if (times(most_elements(call), kWidest) > left_) return false;
    Results results = kernel(call);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!call.wants(i)) continue;
      left_ -= std::min<std::uint64_t>(left_, results[i].bytes().size());
      made_.insert_or_assign(call.node.outputs[i], std::move(results[i]));
    }
    return true;
  }

  const Tensor* known(const std::string& value) const {
    if (const Tensor* constant = constants_.find(value)) return constant;
    const auto found = made_.find(value);
    return found == made_.end() ? nullptr : &found->second;
  }

  const Model& model_;
  Constants constants_;
  std::uint64_t left_;  // bytes that may still be made
  std::unordered_map<std::string, Tensor> made_;
  std::unordered_set<std::string> read_;  // by nodes that are not folded
};

}  // namespace

TensorMap constant_values(const Model& model, std::uint64_t most_bytes) {
  return Folder(model, most_bytes).run();
}

}  // namespace quantlens::oracle
