// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/tuning/strategy.h"

namespace quantlens {

// One strategy, one file. docs/tuning.md tells what each does and costs.
void tune_auto(Search& search);
void tune_basic(Search& search);
void tune_bayesian(Search& search);
void tune_conservative(Search& search);
void tune_exhaustive(Search& search);
void tune_mse(Search& search);
void tune_mse_v2(Search& search);
void tune_random(Search& search);

}  // namespace quantlens
