// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/fused_node.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/order.h"

namespace quantlens {
namespace {

const Node* maker_of(const GraphIndex& index, const std::string& value) {
  const std::optional<std::size_t> node = index.producer(value);
  return node ? &index.graph().nodes[*node] : nullptr;
}

bool is_integer_product(const Node& node) {
  constexpr std::array<const char*, 6> kTypes = {"QLinearConv", "QLinearMatMul",
                                                 "QGemm",       "MatMulIntegerToFloat",
                                                 "ConvInteger", "MatMulInteger"};
  return std::ranges::find(kTypes, node.type) != kTypes.end();
}

/// Whether, from codes up to this value of the file, an op multiplies a weight that is float.
bool multiplies_float_weight(const GraphIndex& file, const std::string& value) {
  std::deque<std::string> open{value};
  std::unordered_set<std::string> seen;
  while (!open.empty()) {
    const std::string name = std::move(open.front());
    open.pop_front();
    if (!seen.insert(name).second) continue;
    const Node* node = maker_of(file, name);
    if (node == nullptr || node->kind == Kind::dequantize) continue;
    const bool multiplies =
        node->kind == Kind::conv || node->kind == Kind::matmul || node->kind == Kind::gemm;
    if (multiplies && node->inputs.size() > 1) {
      const Tensor* weight = file.constant(node->inputs[1]);
      if (weight != nullptr && weight->dtype() == DType::float32) return true;
      continue;
    }
    open.insert(open.end(), node->inputs.begin(), node->inputs.end());
  }
  return false;
}

/// Whether both runs have this node.
bool is_kept(const Node& bare, const Node* observed) {
  return observed != nullptr && observed->type == bare.type && observed->domain == bare.domain &&
         observed->outputs == bare.outputs;
}

}  // namespace

std::optional<FusedNode> fused_node(const Graph& file, const Graph& bare, const Graph& observed,
                                    const std::string& value) {
  const GraphIndex written(file), run(bare), seen_as(observed);
  std::deque<std::string> open{value};
  std::unordered_set<std::string> seen;
  while (!open.empty()) {
    const std::string name = std::move(open.front());
    open.pop_front();
    if (!seen.insert(name).second) continue;
    if (const Node* node = maker_of(run, name)) {
      if (!is_kept(*node, maker_of(seen_as, name))) {
        return FusedNode{
            .node = fmt::format("{} '{}'", printable(node->type), printable(op_name(*node))),
            .makes_weight = is_integer_product(*node) && multiplies_float_weight(written, name)};
      }
      if (name != value) continue;  // what lies behind is computed from a value that both have
    }
    for (const Use& use : written.uses(name)) {
      const Node& reader = file.nodes[use.node];
      open.insert(open.end(), reader.outputs.begin(), reader.outputs.end());
    }
  }
  return std::nullopt;
}

}  // namespace quantlens
