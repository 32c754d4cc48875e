// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Called after every step with the batch and what the models returned.
using OutputSink = std::function<void(const Batch&, const Outputs&)>;

/// How a feed ended.
struct FeedResult {
  std::uint64_t samples = 0;  ///< that went through
  std::uint64_t skipped = 0;  ///< that could not be read
  double seconds_in_run = 0;  ///< time inside Run::step
};

/// The one loop that runs models over data: calibration, diagnosis and accuracy are sinks of it.
/// Throws Errc::interrupted when progress asks to stop (what the taps gathered can still be taken),
/// Errc::bad_input where no sample at all could be read.
FeedResult feed(Run& run, BatchReader& reader, Progress& progress, std::string_view step,
                const OutputSink& sink = {});

}  // namespace quantlens
