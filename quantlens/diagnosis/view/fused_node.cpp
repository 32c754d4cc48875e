// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/fused_node.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

const Node* maker_of(const GraphIndex& index, const std::string& value) {
  const std::optional<std::size_t> node = index.producer(value);
  return node ? &index.graph().nodes[*node] : nullptr;
}

bool is_integer_product(const Node& node) {
  constexpr std::array kKinds = {Kind::qconv,        Kind::qmatmul,
                                 Kind::qgemm,        Kind::matmul_integer_to_float,
                                 Kind::conv_integer, Kind::matmul_integer};
  return std::ranges::find(kKinds, node.kind) != kKinds.end();
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
    if (multiplies && !weight_of(*node).empty()) {
      const Tensor* weight = file.constant(weight_of(*node));
      if (weight != nullptr && weight->dtype() == DType::float32) return true;
      continue;
    }
    open.insert(open.end(), node->inputs.begin(), node->inputs.end());
  }
  return false;
}

/// The node whose result this one lays out anew, or itself.
const Node* behind_layouts(const GraphIndex& run, const Node* node) {
  const auto lays_out = [](const Node& one) {
    return one.kind == Kind::transpose || role<roles::Reorder>(one) != nullptr;
  };
  while (lays_out(*node) && !node->inputs.empty()) {
    const Node* before = maker_of(run, node->inputs[0]);
    if (before == nullptr) break;
    node = before;
  }
  return node;
}

/// Whether both runs have this node.
bool is_kept(const Node& bare, const Node* observed) {
  return observed != nullptr && is_same_operator(*observed, bare) &&
         observed->outputs == bare.outputs;
}

/// As people see it: without the number that the runtime appends to what it makes, which is another
/// one in another graph.
std::string words(const Node& node) {
  constexpr std::string_view kMark = "_token_";
  std::string name = op_name(node);
  const std::size_t at = name.rfind(kMark);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (at != std::string::npos && at > 0 &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at + kMark.size()), name.end(),
                  is_digit)) {
    name.resize(at);
  }
  return fmt::format("{} '{}'", printable(node.type), printable(name));
}

/// The one node that multiplies codes in the bare graph alone, by type and name; null where there
/// is another number of them.
const Node* only_product(const Graph& bare, const Graph& observed) {
  std::unordered_set<std::string> others;
  for (const Node& node : observed.nodes) others.insert(words(node));
  const Node* found = nullptr;
  for (const Node& node : bare.nodes) {
    if (!is_integer_product(node) || others.contains(words(node))) continue;
    if (found != nullptr) return nullptr;
    found = &node;
  }
  return found;
}

}  // namespace

std::optional<FusedNode> fused_node(const Graph& file, const Graph& bare, const Graph& observed,
                                    const std::string& value) {
  const GraphIndex written(file), run(bare), seen_as(observed);
  std::deque<std::string> open{value};
  std::unordered_set<std::string> seen;
  std::vector<std::string> codes;  // that the value ends in
  while (!open.empty()) {
    const std::string name = std::move(open.front());
    open.pop_front();
    if (!seen.insert(name).second) continue;
    if (const Node* node = maker_of(run, name)) {
      if (!is_kept(*node, maker_of(seen_as, name))) {
        node = behind_layouts(run, node);
        return FusedNode{
            .node = words(*node),
            .makes_weight = is_integer_product(*node) && multiplies_float_weight(written, name)};
      }
      if (name != value) continue;  // what lies behind is computed from a value that both have
    }
    for (const Use& use : written.uses(name)) {
      const Node& reader = file.nodes[use.node];
      if (reader.kind == Kind::quantize) {
        codes.push_back(reader.outputs.at(0));
        if (!run.producer(codes.back())) continue;  // which have another name there
      }
      open.insert(open.end(), reader.outputs.begin(), reader.outputs.end());
    }
  }
  const Node* product = only_product(bare, observed);
  if (product == nullptr) return std::nullopt;
  const bool makes_weight = std::ranges::any_of(
      codes, [&](const std::string& name) { return multiplies_float_weight(written, name); });
  return FusedNode{.node = words(*product), .makes_weight = makes_weight};
}

}  // namespace quantlens
