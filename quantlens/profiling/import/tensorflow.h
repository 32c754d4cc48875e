// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/record/profile.h"

namespace quantlens::imports {

/// Reads the timeline that tf.python.client.timeline writes: the ops of processes that compute.
Profile import_timeline(std::istream& in, Progress& progress);

/// Whether bytes begin like a StepStats, or a RunMetadata with one.
bool is_step_stats(std::string_view beginning);

/// Reads such bytes (tensorflow/core/framework/step_stats.proto). Lengths that lead out of their
/// message end it; what came before is kept.
Profile import_step_stats(std::istream& in, Progress& progress);

}  // namespace quantlens::imports
