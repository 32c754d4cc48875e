// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/names.h"

namespace quantlens {

bool begins_a_name(const Graph& graph, std::string_view prefix) {
  bool begins = false;
  for_each_name(graph,
                [&](const std::string& name) { begins = begins || name.starts_with(prefix); });
  return begins;
}

}  // namespace quantlens
