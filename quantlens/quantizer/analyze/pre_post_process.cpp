// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/pre_post_process.h"

#include <algorithm>

namespace quantlens {

bool is_conv_or_matmul(const Node& node) {
  return node.kind == Kind::conv || node.kind == Kind::matmul || node.kind == Kind::gemm;
}

std::vector<bool> without_pre_post_process(const GraphIndex& index) {
  const std::vector<Node>& nodes = index.graph().nodes;
  const auto first = std::ranges::find_if(nodes, is_conv_or_matmul);
  std::vector<bool> inside(nodes.size(), first == nodes.end());
  std::vector<std::size_t> open;
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    if (!is_conv_or_matmul(nodes[number])) continue;
    inside[number] = true;
    if (nodes.begin() + static_cast<std::ptrdiff_t>(number) != first) open.push_back(number);
  }
  while (!open.empty()) {
    const Node& node = nodes[open.back()];
    open.pop_back();
    for (const std::string& input : node.inputs) {
      const auto producer = index.producer(input);
      if (!producer || inside[*producer]) continue;
      inside[*producer] = true;
      open.push_back(*producer);
    }
  }
  return inside;
}

}  // namespace quantlens
