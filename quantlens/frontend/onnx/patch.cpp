// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/domains.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::onnx {
namespace {

/// A name for what the old node makes from now on, which nobody reads.
std::string unread_name(const GraphIndex& index, const std::string& value) {
  std::string name = value + "/replaced";
  while (index.producer(name) || index.is_input(name) || index.constant(name)) name += '_';
  return name;
}

std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::mul:
      return "Mul";
    case Kind::max:
      return "Max";
    case Kind::quantize:
      return "QuantizeLinear";
    case Kind::dequantize:
      return "DequantizeLinear";
    default:
      throw Error(Errc::unsupported,
                  fmt::format("no node of kind {} can be inserted", to_string(kind)));
  }
}

/// Whether ONNX's own links have codes of the node's type; the runtime's have them in any version.
bool has_own_link(const Model& model, const Patch& patch, const Node& node) {
  constexpr std::int64_t kAllWidthsOpset = 21;
  constexpr std::size_t kZeroPoint = 2;
  if (node.inputs.size() <= kZeroPoint) return true;
  const auto zero = std::ranges::find(patch.weights, node.inputs[kZeroPoint],
                                      &std::pair<std::string, Tensor>::first);
  const auto opset = model.opsets.find("");
  return zero == patch.weights.end() || byte_size(zero->second.dtype()) == 1 ||
         (opset != model.opsets.end() && opset->second >= kAllWidthsOpset);
}

/// The node in ONNX's words.
Node worded(const Model& model, const Patch& patch, Node node) {
  if (!node.type.empty()) return node;
  node.type = type_of(node.kind);
  const auto* coding = role<roles::Coding>(node);
  if (coding == nullptr) return node;
  if (*coding != roles::Coding()) node.attributes["axis"] = coding->axis;
  if (!has_own_link(model, patch, node)) node.domain = kMicrosoftDomain;
  return node;
}

Edit edit_of(const Model& model, const Patch& patch) {
  const GraphIndex index(model.graph);
  Edit edit;
  edit.weights = patch.weights;
  for (const auto& [value, nodes] : patch.nodes) {
    const std::optional<std::size_t> made_by = index.producer(value);
    if (!made_by) {
      throw Error(Errc::unsupported, fmt::format("{}: no node makes '{}'",
                                                 printable(model.path.string()), printable(value)));
    }
    const std::vector<std::string>& outputs = model.graph.nodes[*made_by].outputs;
    const auto at = std::ranges::find(outputs, value) - outputs.begin();
    edit.outputs[*made_by][static_cast<std::size_t>(at)] = unread_name(index, value);
    for (const Node& node : nodes) edit.inserted.emplace(*made_by, worded(model, patch, node));
  }
  return edit;
}

}  // namespace

void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  const std::unique_ptr<FileWriter> file = store.create(path);
  write(model, edit_of(model, patch), {}, [&](Bytes bytes) { file->write(bytes); });
  file->commit();
}

}  // namespace quantlens::onnx
