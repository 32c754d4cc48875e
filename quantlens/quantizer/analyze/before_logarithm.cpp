// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/before_logarithm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/linear_values.h"

namespace quantlens {
namespace {

/// A constant that is added keeps small values from being small; one below this hardly does.
constexpr float kSmall = 0.01F;

bool all_of_constant(const Tensor* tensor, bool (*is_so)(float)) {
  if (tensor == nullptr || tensor->dtype() != DType::float32) return false;
  const Tensor values = aligned(*tensor);
  return std::ranges::all_of(values.data<float>(), is_so);
}

class Search {
 public:
  explicit Search(const GraphIndex& index) : index_(index), nodes_(index.graph().nodes) {}

  std::map<std::size_t, std::string> run() {
    for (const Node& node : nodes_) {
      if (node.kind != Kind::log || node.inputs.empty()) continue;
      if (!linear_) linear_ = find_linear_values(index_);
      reason_ = fmt::format("a logarithm ({}) reads its result, and 8 bits lose the small values",
                            printable(op_name(node)));
      waiting_.push_back(node.inputs[0]);
      while (!waiting_.empty()) {
        const std::string value = waiting_.back();
        waiting_.pop_back();
        look_at(value);
      }
    }
    return std::move(found_);
  }

 private:
  void look_at(const std::string& value) {
    if (index_.constant(value) != nullptr) return;
    const std::optional<std::size_t> number = index_.producer(value);
    if (!number || found_.contains(*number)) return;
    const Node& node = nodes_[*number];
    switch (node.kind) {
      case Kind::conv:
      case Kind::conv_transpose:
      case Kind::matmul:
      case Kind::gemm:
        keep(*number);
        if (sums_nonnegatives(node) || linear_->contains(value)) push_data(node);
        return;
      case Kind::reduce_sum:
      case Kind::reduce_mean:
      case Kind::average_pool:
      case Kind::global_average_pool:
        keep(*number);
        if (is_nonnegative(node.inputs[0]) || linear_->contains(value)) push_data(node);
        return;
      case Kind::add:
      case Kind::sub:
        if (!keeps_ratios(node) && !transforms(node, value)) return;
        break;
      case Kind::softmax:
      case Kind::sigmoid:
      case Kind::exp:
        keep(*number);
        return;
      default:
        if (!is_followed(node.kind)) return;
    }
    keep(*number);
    push_data(node);
  }

  /// Whether small results of the op come from small elements of what it reads.
  static bool is_followed(Kind kind) {
    switch (kind) {
      case Kind::mul:
      case Kind::div:
      case Kind::neg:
      case Kind::relu:
      case Kind::clip:
      case Kind::abs:
      case Kind::sqrt:
      case Kind::pow:
      case Kind::reciprocal:
      case Kind::min:
      case Kind::max:
      case Kind::max_pool:
      case Kind::reduce_min:
      case Kind::reduce_max:
      case Kind::where:
        return true;
      default:
        return moves_elements(kind) || picks_elements(kind);
    }
  }

  void keep(std::size_t number) { found_.emplace(number, reason_); }

  /// What its result is made of, without bounds, indices, shapes and conditions.
  void push_data(const Node& node) {
    const auto* choice = role<roles::Choice>(node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_data = choice != nullptr ? i != choice->operands.condition
                                             : i == 0 || has_data_behind_the_first(node.kind);
      if (is_data) waiting_.push_back(node.inputs[i]);
    }
  }

  static bool has_data_behind_the_first(Kind kind) {
    switch (kind) {
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div:
      case Kind::min:
      case Kind::max:
      case Kind::concat:
      case Kind::matmul:
        return true;
      default:
        return false;
    }
  }

  /// Whether small sums come from small terms alone: x + epsilon, or terms of one sign.
  bool keeps_ratios(const Node& add) const {
    if (add.kind == Kind::sub) return false;  // terms that cancel
    const auto is_small = [&](const std::string& input) {
      return all_of_constant(index_.constant(input), [](float v) { return std::abs(v) < kSmall; });
    };
    const auto is_term = [&](const std::string& input) {
      return index_.constant(input) == nullptr && is_nonnegative(input);
    };
    return std::ranges::any_of(add.inputs, is_small) || std::ranges::all_of(add.inputs, is_term);
  }

  /// Whether it joins values of a transformed signal, without a constant.
  bool transforms(const Node& sum, const std::string& value) const {
    return linear_->contains(value) && std::ranges::none_of(sum.inputs, [&](const auto& input) {
             return index_.constant(input) != nullptr;
           });
  }

  bool sums_nonnegatives(const Node& node) const {
    return node.inputs.size() == 2 &&
           std::ranges::all_of(node.inputs,
                               [&](const std::string& input) { return is_nonnegative(input); });
  }

  /// Whether the value cannot be negative, as far as the last few ops before it tell.
  bool is_nonnegative(const std::string& value, int ops = 8) const {
    if (const Tensor* constant = index_.constant(value)) {
      return all_of_constant(constant, [](float v) { return v >= 0; });
    }
    const std::optional<std::size_t> number = index_.producer(value);
    if (!number || ops == 0) return false;
    const Node& node = nodes_[*number];
    const auto each = [&] {
      return std::ranges::all_of(
          node.inputs, [&](const std::string& input) { return is_nonnegative(input, ops - 1); });
    };
    switch (node.kind) {
      case Kind::relu:
      case Kind::abs:
      case Kind::sqrt:
      case Kind::exp:
      case Kind::sigmoid:
      case Kind::softmax:
        return true;
      case Kind::clip: {
        const std::optional<ClipBounds> bounds = clip_bounds(index_, node);
        return bounds && bounds->low >= 0;
      }
      case Kind::mul:
        return (node.inputs.size() == 2 && left_of(node) == right_of(node)) || each();
      case Kind::add:
        return each();
      default:
        return moves_elements(node.kind) && is_nonnegative(node.inputs[0], ops - 1);
    }
  }

  const GraphIndex& index_;
  const std::vector<Node>& nodes_;
  std::optional<std::unordered_set<std::string>> linear_;  // from the first logarithm on
  std::map<std::size_t, std::string> found_;
  std::vector<std::string> waiting_;
  std::string reason_;  // of the logarithm at hand
};

}  // namespace

std::map<std::size_t, std::string> find_before_logarithms(const GraphIndex& index) {
  return Search(index).run();
}

}  // namespace quantlens
