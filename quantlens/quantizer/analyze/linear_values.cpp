// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/linear_values.h"

#include <algorithm>

namespace quantlens {
namespace {

class Linear {
 public:
  explicit Linear(const GraphIndex& index) : index_(index) {}

  std::unordered_set<std::string> run() {
    for (const ValueInfo& input : index_.graph().inputs) values_.insert(input.name);
    for (const Node& node : index_.graph().nodes) {
      if (!node.inputs.empty() && is_linear(node)) {
        values_.insert(node.outputs.begin(), node.outputs.end());
      }
    }
    return std::move(values_);
  }

 private:
  bool is_linear(const Node& node) const {
    switch (node.kind) {
      case Kind::conv:
      case Kind::conv_transpose:
      case Kind::gemm:
      case Kind::matmul:
      case Kind::mul:
        return count_linear(node) == 1 && all_known(node);
      case Kind::div:
        return is_value(node.inputs[0]) && count_linear(node) == 1 && all_known(node);
      case Kind::add:
      case Kind::sub:
      case Kind::concat:
        return count_linear(node) > 0 && all_known(node);
      case Kind::neg:
      case Kind::reduce_sum:
      case Kind::reduce_mean:
      case Kind::average_pool:
      case Kind::global_average_pool:
      case Kind::batch_norm:
        return is_value(node.inputs[0]);
      default:
        return (moves_elements(node.kind) || picks_elements(node.kind)) && is_value(node.inputs[0]);
    }
  }

  bool is_value(const std::string& name) const { return values_.contains(name); }

  std::ptrdiff_t count_linear(const Node& node) const {
    return std::ranges::count_if(node.inputs, [&](const auto& name) { return is_value(name); });
  }

  bool all_known(const Node& node) const {
    return std::ranges::all_of(node.inputs, [&](const std::string& name) {
      return name.empty() || is_value(name) || index_.constant(name) != nullptr;
    });
  }

  const GraphIndex& index_;
  std::unordered_set<std::string> values_;
};

}  // namespace

std::unordered_set<std::string> find_linear_values(const GraphIndex& index) {
  return Linear(index).run();
}

bool picks_elements(Kind kind) {
  switch (kind) {
    case Kind::cast:
    case Kind::concat:
    case Kind::dropout:
    case Kind::expand:
    case Kind::gather:
    case Kind::gather_elements:
    case Kind::pad:
    case Kind::slice:
    case Kind::split:
    case Kind::tile:
      return true;
    default:
      return false;
  }
}

}  // namespace quantlens
