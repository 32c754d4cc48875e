// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/names.h"

#include <algorithm>

#include <fmt/format.h>

namespace quantlens::graphdef {

FreeNames::FreeNames(const GraphFile& file) {
  for (const NodeParts& node : file.nodes()) taken_.emplace(node.name);
  for (const Node& node : file.model().graph.nodes) taken_.insert(node.name);
}

std::string FreeNames::take(std::string wanted) {
  std::ranges::replace(wanted, ':', '_');  // of a node's second result
  std::string name = wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

}  // namespace quantlens::graphdef
