// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Output shares without each block of the second pass's samples, by the row's `value` and
/// `quantized`.
using SharesWithout = std::map<std::pair<std::string, std::string>, std::vector<double>>;

/// Sets `output_share` of the rows whose local error has parts (add_local_parts). An output's error
/// is followed back through the reference: of the error that has accumulated at a value, what its
/// op adds by itself (local error without the inputs' part) stays there; the rest goes on to what
/// the op reads, in proportion to the error found there: absolute where values are added or moved,
/// else relative to their energy. All float outputs count alike (where there are
/// none, all). Errors are taken as uncorrelated, so a
/// share is an estimate; what passes values that were not compared is `unknown_share`, and is not
/// counted in the lower ends of intervals. `accumulated` and `local` are the states of the two
/// passes, whose blocks give the interval. Returns the shares without each block.
SharesWithout add_output_shares(const GraphIndex& reference, const TapState& accumulated,
                                const TapState& local, Diagnosis& diagnosis);

}  // namespace quantlens
