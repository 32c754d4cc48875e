// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/patch_text.h"

#include <iterator>
#include <utility>

#include <boost/pfr/tuple_size.hpp>

namespace quantlens::remote {

static_assert(boost::pfr::tuple_size_v<Patch> == 2, "a new field of Patch has to travel, too");

PatchText text_from(const Patch& patch, Body& body) {
  PatchText text;
  for (const auto& [name, tensor] : patch.weights) {
    text.weights.push_back(add_tensor(name, tensor, body));
  }
  Graph all;
  for (const auto& [value, nodes] : patch.nodes) {
    text.values.push_back({.value = value, .nodes = nodes.size()});
    all.nodes.insert(all.nodes.end(), nodes.begin(), nodes.end());
  }
  text.nodes = text_from(all, {}, body);
  return text;
}

Patch patch_from(const PatchText& text, const Payload& body) {
  Patch patch;
  for (const TensorText& weight : text.weights) {
    patch.weights.emplace_back(weight.name, tensor_from(weight, body));
  }
  Graph all = graph_from(text.nodes, body, {});
  auto next = all.nodes.begin();
  for (const PatchedText& value : text.values) {
    const auto left = static_cast<std::uint64_t>(std::distance(next, all.nodes.end()));
    if (value.nodes > left) throw Error(Errc::bad_input, "a patch names nodes that it has not");
    const auto end = next + static_cast<std::ptrdiff_t>(value.nodes);
    patch.nodes[value.value].assign(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
  if (next != all.nodes.end()) throw Error(Errc::bad_input, "a patch has nodes of no value");
  return patch;
}

}  // namespace quantlens::remote
