// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/base/words.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::flow {

/// paired: one tag for both sides of a tensor, in the run of either; together: the same tag for
/// both in a third run, `<logdir>/eval/together`, whose step 0 is the float model and whose step n
/// is `tune_<n>`, so that one card draws them over each other; original: two tags,
/// "<op>/Output/fp32" and "<op>/Output/int8", as the predecessor wrote them.
BOOST_DEFINE_ENUM_CLASS(TensorboardTags, paired, together, original)

struct TensorboardOptions {
  fs::path logdir = "runs";
  TensorboardTags tags = TensorboardTags::paired;
  std::string option = "--logdir";  ///< what the command calls `logdir`
};

/// The runs that were written: their folders, the baseline first.
struct TensorboardResult {
  std::vector<fs::path> runs;
};

/// Before hours of work: throws Errc::usage where another program's events stand in a folder whose
/// name is known by now, and as the store does where no folder can be made. Leaves none behind.
/// `has_accuracies`: the names of the run's folders end in them.
void check_events_folder(Store& store, const TensorboardOptions& options, bool has_accuracies);

/// Throws Errc::usage where tags are named by the option and no events are asked for.
void check_tags(bool are_named, bool events_are_wanted);

/// Writes a stored run as TensorBoard reads it (docs/tensorboard.md), from its records alone:
/// `<logdir>/eval/baseline_acc_<acc>` and `<logdir>/eval/tune_<n>_acc_<acc>`, all or none. Takes
/// the memory of its tables, not that of its histograms. `id`: as Workspace::find has it. Throws
/// Errc::usage for a run that has not ended, Errc::unsupported for one that compared and scored
/// nothing, Errc::bad_input for damaged records, and as `progress` is asked to stop.
TensorboardResult tensorboard(Store& store, const Workspace& workspace, const std::string& id,
                              const TensorboardOptions& options, Progress& progress);

}  // namespace quantlens::flow
