// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/fold_through.h"

#include <utility>

#include "quantlens/graph/extents.h"
#include "quantlens/quantizer/analyze/before_logarithm.h"
#include "quantlens/quantizer/analyze/bypass.h"
#include "quantlens/quantizer/analyze/float_regions.h"
#include "quantlens/quantizer/edit/fold_chains.h"

namespace quantlens {

Plan fold_through(const GraphIndex& index) {
  const Graph& graph = index.graph();
  const Extents known = extents(index);
  Prepared prepared;
  prepared.kept_float = find_float_regions(index);
  prepared.kept_float.merge(find_before_logarithms(index));
  std::vector<Use> gone;
  for (std::size_t number = 0; number < graph.nodes.size(); ++number) {
    if (prepared.kept_float.contains(number)) continue;
    const std::vector<Use> folded = fold_chain_through(index, known, number, prepared);
    gone.insert(gone.end(), folded.begin(), folded.end());
  }
  Plan plan;
  plan.input_edits = prepared.input_edits.list();
  plan.weights = std::move(prepared.weights);
  bypass(index, gone, plan);
  return plan;
}

}  // namespace quantlens
