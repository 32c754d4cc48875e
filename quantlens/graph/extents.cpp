// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/extents.h"

#include "quantlens/graph/shapes.h"

namespace quantlens {

Extents extents(const GraphIndex& index) {
  Extents all;
  for (const auto& [name, dims] : shapes(index)) {
    std::vector<Extent>& row = all[name];
    for (const Dim& dim : dims) row.push_back(dim.extent);
  }
  return all;
}

}  // namespace quantlens
