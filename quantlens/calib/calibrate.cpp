// SPDX-License-Identifier: Apache-2.0
#include "quantlens/calib/calibrate.h"

#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens {

TapState calibrate(const Model& model, const std::vector<Tap>& taps, BatchReader& reader,
                   const RunOptions& options, Progress& progress) {
  const ClosingRun run =
      closing(open(model, nullptr, {.taps = taps, .pairs = {}}, options), options.watch.phases);
  for (const NotTapped& missed : run->not_tapped()) {
    progress.note("calibration leaves out '" + missed.value + "': " + missed.reason);
  }
  feed(*run, reader, progress, "calibrate");
  return run->take();
}

}  // namespace quantlens
