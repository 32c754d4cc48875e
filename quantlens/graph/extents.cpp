// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/extents.h"

#include <algorithm>
#include <span>
#include <utility>

#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

using Row = std::vector<Extent>;

/// Past this, products and sums of extents are not worth their overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 31;

/// What two operands make of an axis. Whatever one of them has beside 1, the result has, too.
Extent broadcast(const Extent& a, const Extent& b) {
  if (a && *a != 1) return a;
  if (b && *b != 1) return b;
  return a && b ? a : std::nullopt;
}

/// A window's way along one axis.
struct Step {
  std::int64_t kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;

  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

std::int64_t at(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

/// Nothing where these numbers alone do not tell it.
std::optional<std::vector<Step>> steps_of(const roles::Window& window,
                                          std::span<const std::int64_t> kernel) {
  if (window.pads_to_fit || window.rounds_up || window.has_extents) return std::nullopt;
  std::vector<Step> all;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Step one{.kernel = kernel[i],
                   .stride = at(window.strides, i, 1),
                   .dilation = at(window.dilations, i, 1),
                   .begin = at(window.pads, i, 0),
                   .end = at(window.pads, kernel.size() + i, 0)};
    const auto is_usable = [](std::int64_t x) { return x >= 0 && x < kMost; };
    if (one.stride < 1 || !is_usable(one.kernel) || !is_usable(one.stride) ||
        !is_usable(one.dilation) || !is_usable(one.begin) || !is_usable(one.end)) {
      return std::nullopt;
    }
    all.push_back(one);
  }
  return all;
}

class Inference {
 public:
  explicit Inference(const GraphIndex& index) : index_(index) {
    for (const auto& [name, rank] : ranks(index)) known_.emplace(name, Row(rank));
    const Graph& graph = index.graph();
    for (const ValueInfo& value : graph.inputs) declare(value);
    for (const ValueInfo& value : graph.outputs) declare(value);
    for (const auto& [name, value] : graph.values) declare(value);
    for (const Node& node : graph.nodes) infer(node);
  }

  Extents take() { return std::move(known_); }

 private:
  void declare(const ValueInfo& value) {
    const auto found = known_.find(value.name);
    if (found == known_.end() || !value.shape || value.shape->size() != found->second.size())
      return;
    for (std::size_t i = 0; i < found->second.size(); ++i)
      found->second[i] = (*value.shape)[i].extent;
  }

  /// What the file says stays.
  void infer(const Node& node) {
    if (node.inputs.empty() || op_id(node).empty()) return;
    const auto result = known_.find(op_id(node));
    if (result == known_.end()) return;
    const Row row = of_result(node, result->second.size());
    if (row.size() != result->second.size()) return;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!result->second[i] && row[i] && *row[i] >= 0 && *row[i] < kMost)
        result->second[i] = row[i];
    }
  }

  std::optional<Row> operand(const Node& node, std::size_t number) const {
    if (number >= node.inputs.size()) return std::nullopt;
    if (const Tensor* tensor = index_.constant(node.inputs[number]))
      return Row(tensor->shape().begin(), tensor->shape().end());
    const auto found = known_.find(node.inputs[number]);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Of a value that has dimensions; empty where nothing is known.
  Row input(const Node& node, std::size_t number) const {
    return operand(node, number).value_or(Row());
  }

  /// Of another number of dimensions than `rank` where it cannot be told.
  Row of_result(const Node& node, std::size_t rank) const {
    if (is_elementwise(node.kind)) return input(node, 0);
    switch (node.kind) {
      case Kind::batch_norm:
      case Kind::softmax:
      case Kind::layer_norm:
      case Kind::instance_norm:
        return input(node, 0);
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div:
        return of_both(operand(node, 0), operand(node, 1), rank);
      case Kind::conv:
      case Kind::conv_transpose:
        return of_convolution(node);
      case Kind::max_pool:
      case Kind::average_pool:
        return of_pool(node);
      case Kind::global_average_pool:
        return of_global_pool(node);
      case Kind::gemm:
        return of_gemm(node);
      case Kind::matmul:
        return of_matmul(node, rank);
      case Kind::transpose:
        return of_transpose(node);
      case Kind::reshape:
        return of_reshape(node);
      default:
        return {};
    }
  }

  static Row of_both(const std::optional<Row>& a, const std::optional<Row>& b, std::size_t rank) {
    if (!a || !b || std::max(a->size(), b->size()) != rank) return {};
    const auto from_end = [](const Row& one, std::size_t i) {
      return i < one.size() ? one[one.size() - 1 - i] : Extent(1);
    };
    Row row(rank);
    for (std::size_t i = 0; i < rank; ++i)
      row[rank - 1 - i] = broadcast(from_end(*a, i), from_end(*b, i));
    return row;
  }

  /// `back`: as a transposed convolution does. The first two axes stay as they are.
  static Row slid(Row row, const std::optional<std::vector<Step>>& steps, bool back) {
    for (std::size_t i = 2; i < row.size(); ++i) {
      Extent& one = row[i];
      if (!steps || i - 2 >= steps->size() || !one || *one >= kMost) {
        one = std::nullopt;
        continue;
      }
      const Step& step = (*steps)[i - 2];
      const std::int64_t pads = step.begin + step.end;
      const std::int64_t room = *one + pads - step.reach();
      one = back        ? (*one - 1) * step.stride + step.reach() - pads
            : room >= 0 ? room / step.stride + 1
                        : 0;
    }
    return row;
  }

  Row of_pool(const Node& node) const {
    const roles::Window* window = window_of(node);
    if (window == nullptr) return {};
    return slid(input(node, 0), steps_of(*window, window->kernel), false);
  }

  Row of_convolution(const Node& node) const {
    const auto* role = quantlens::role<roles::Convolution>(node);
    if (role == nullptr) return {};
    const Row weight = input(node, role->operands.weight);
    Row row = input(node, role->operands.data);
    if (weight.size() < 3) return {};
    row.resize(weight.size());
    const bool back = node.kind == Kind::conv_transpose;
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 2; i < weight.size(); ++i) kernel.push_back(weight[i].value_or(kMost));
    row = slid(std::move(row), steps_of(role->window, kernel), back);
    const std::vector<std::int64_t>& more = role->window.output_padding;
    for (std::size_t i = 0; back && i < more.size() && 2 + i < row.size(); ++i) {
      if (row[2 + i]) row[2 + i] = *row[2 + i] + more[i];
    }
    row[1] = weight[role->output_axis];
    if (back && row[1]) row[1] = *row[1] * role->groups;
    return row;
  }

  Row of_global_pool(const Node& node) const {
    Row row = input(node, 0);
    for (std::size_t i = 2; i < row.size(); ++i) row[i] = 1;
    return row;
  }

  Row of_gemm(const Node& node) const {
    const Row a = input(node, 0), b = input(node, 1);
    Row row(2);
    if (a.size() == 2) row[0] = a[transposes_a(node) ? 1 : 0];
    if (b.size() == 2) row[1] = b[transposes_b(node) ? 0 : 1];
    return row;
  }

  Row of_matmul(const Node& node, std::size_t rank) const {
    const Row a = input(node, 0), b = input(node, 1);
    if (a.size() < 2 || b.size() < 2) return {};
    Row row = of_both(a, b, rank);
    if (row.empty()) return {};
    row[rank - 2] = a[a.size() - 2];
    row[rank - 1] = b.back();
    return row;
  }

  Row of_transpose(const Node& node) const {
    const Row before = input(node, 0);
    const std::vector<std::int64_t>& order = permutation_of(node);
    Row row(before.rbegin(), before.rend());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i >= row.size() || order[i] < 0 || order[i] >= std::ssize(before)) return {};
      row[i] = before[static_cast<std::size_t>(order[i])];
    }
    return row;
  }

  Row of_reshape(const Node& node) const {
    const Tensor* target = node.inputs.size() > 1 ? index_.constant(node.inputs[1]) : nullptr;
    if (target == nullptr || target->dtype() != DType::int64 || target->shape().size() != 1)
      return {};
    const Tensor values = aligned(*target);
    const Row before = input(node, 0);
    const auto* role = quantlens::role<roles::Reshaping>(node);
    const bool copies = role != nullptr && role->copies_zeros;
    Row row;
    for (const std::int64_t one : values.data<std::int64_t>()) {
      const std::size_t place = row.size();
      const bool is_copied = one == 0 && copies;
      row.push_back(one > 0                              ? Extent(one)
                    : is_copied && place < before.size() ? before[place]
                                                         : std::nullopt);
    }
    return row;
  }

  const GraphIndex& index_;
  Extents known_;
};

}  // namespace

Extents extents(const GraphIndex& index) {
  return Inference(index).take();
}

}  // namespace quantlens
