// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Called after every step with the batch and what the models returned, on the thread that called
/// `feed`, in the order of batches.
using OutputSink = std::function<void(const Batch&, const Outputs&)>;

/// How a feed ended.
struct FeedResult {
  std::uint64_t samples = 0;  ///< that went through
  std::uint64_t skipped = 0;  ///< that could not be read
  double seconds_in_run = 0;  ///< time inside Run::step, of all steps together
};

/// The one loop that runs models over data: calibration, diagnosis and accuracy are sinks of it. As
/// many steps are under way at once as the run has room for (Run::in_flight), the calling thread's
/// among them; progress is told on that thread alone. The first batch goes alone, for it shows how
/// much room a step needs; its sink may `take` from the run.
/// Throws Errc::interrupted when progress asks to stop (what the taps gathered can still be taken),
/// Errc::bad_input where no sample at all could be read, and where what the reference answers is
/// NaN for all of them (nan_watch.h, which notes the first such sample); of several steps that
/// fail, what the first batch's threw. However it ends, no step is under way any more.
FeedResult feed(Run& run, BatchReader& reader, Progress& progress, std::string_view step,
                const OutputSink& sink = {});

}  // namespace quantlens
