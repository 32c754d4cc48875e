// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <boost/describe.hpp>

#include "quantlens/record/run_records.h"

namespace quantlens {

/// Whether a run keeps as much of its accuracy as it must (`--max-loss`).
struct LossVerdict {
  bool reached = true;
  double loss = 0;      ///< in the unit of what is allowed; below 0 it is a gain
  std::string because;  ///< a sentence; empty where it is reached
};
BOOST_DESCRIBE_STRUCT(LossVerdict, (), (reached, loss, because))

/// Holds what a run's model loses of the reference's accuracy against `max_loss`, as `tune
/// --max-loss` means it: a share of the reference's figure, with `absolute` in the metric's own
/// unit. Where lower figures are better, a rise is the loss; below 0, a gain is demanded. Of a
/// search it is the model that was kept. A figure that is no number misses it, and so does a
/// reference that has nothing to lose. Throws Errc::failed for a run without two accuracies, and
/// Errc::usage where a share would let all of the accuracy be lost. REQUIRES: it is a number.
LossVerdict accuracy_gate(const RunRecords& records, double max_loss, bool absolute = false);

/// "1 %", with `absolute` "0.01".
std::string allowed_loss_text(double max_loss, bool absolute);

}  // namespace quantlens
