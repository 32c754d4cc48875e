// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/half_inputs.h"

#include <algorithm>
#include <array>

namespace quantlens {
namespace {

/// A kind that computes in half, and which of its inputs do: so many from the first that does.
struct Row {
  Kind kind = Kind::other;
  std::size_t first = 0;
  std::size_t count = 0;  ///< 0: all
};

constexpr std::array kRows = {
    Row{Kind::conv},
    Row{Kind::conv_transpose},
    Row{Kind::gemm},
    Row{Kind::matmul},
    Row{Kind::add},
    Row{Kind::sub},
    Row{Kind::mul},
    Row{Kind::div},
    Row{Kind::relu},
    Row{Kind::clip},
    Row{Kind::sigmoid},
    Row{Kind::softmax},
    Row{Kind::erf},
    Row{Kind::tanh},
    Row{Kind::gelu},
    Row{Kind::hard_swish},
    Row{Kind::hard_sigmoid},
    Row{Kind::leaky_relu},
    Row{Kind::prelu},
    Row{Kind::elu},
    Row{Kind::sqrt},
    Row{Kind::neg},
    Row{Kind::abs},
    Row{Kind::concat},
    Row{Kind::max_pool},
    Row{Kind::average_pool},
    Row{Kind::global_average_pool},
    Row{Kind::identity},
    Row{Kind::flatten},
    Row{Kind::transpose},
    Row{Kind::reshape, 0, 1},
    Row{Kind::squeeze, 0, 1},
    Row{Kind::unsqueeze, 0, 1},
    Row{Kind::slice, 0, 1},
    Row{Kind::split, 0, 1},
    Row{Kind::gather, 0, 1},
    Row{Kind::gather_elements, 0, 1},
    Row{Kind::tile, 0, 1},
    Row{Kind::expand, 0, 1},
    Row{Kind::depth_to_space, 0, 1},
    Row{Kind::space_to_depth, 0, 1},
    Row{Kind::where, 1, 2},
};

}  // namespace

std::optional<std::vector<std::size_t>> half_inputs(const Node& node) {
  const auto* row = std::ranges::find(kRows, node.kind, &Row::kind);
  if (row == kRows.end() || !node.subgraphs.empty()) return std::nullopt;
  if (node.kind == Kind::max_pool && node.outputs.size() > 1) return std::nullopt;  // indices
  const std::size_t end =
      row->count == 0 ? node.inputs.size() : std::min(node.inputs.size(), row->first + row->count);
  std::vector<std::size_t> inputs;
  for (std::size_t i = row->first; i < end; ++i) {
    if (!node.inputs[i].empty()) inputs.push_back(i);
  }
  if (inputs.empty()) return std::nullopt;
  return inputs;
}

}  // namespace quantlens
