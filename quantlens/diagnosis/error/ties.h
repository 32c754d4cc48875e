// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "quantlens/record/diagnosis.h"
#include "quantlens/stats/pair_intervals.h"

namespace quantlens {

/// A row, and its SQNR without each block of samples.
struct Compared {
  ActivationRow row;
  BlockFigure sqnr_db;
};

/// Sets `rank` and `tied_with_previous` of the rows, which stand by SQNR, worst first. A row has
/// the rank of the one above unless the samples can tell it from the first one of that rank: ties
/// would else reach through any number of small steps from the worst row to the best. Nothing is
/// set where no row has three blocks of samples.
void add_ranks(std::span<Compared> rows);

}  // namespace quantlens
