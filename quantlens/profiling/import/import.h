// Profiles that other programs took: ONNX Runtime's profiling file, TensorFlow's timeline and its
// StepStats or RunMetadata, and our own traces (trace.h). Read in one pass, nothing kept of single
// events. Start with import_profile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/profile.h"

namespace quantlens {

/// Whether the file begins like a profile that `import_profile` reads. Looks at its first bytes
/// only; false also where it cannot be read.
bool is_profile(const fs::path& path);

/// One row a node and one a type, in memory that does not grow with the file (below 150 MB).
/// Throws Errc::not_found, Errc::io, Errc::interrupted, Errc::bad_input; what was left out of a
/// damaged file is told by `progress`.
///
/// What differs from a profile of our own:
/// - The first run is left out as a warm-up where there are three or more.
/// - mean_us is the plain mean a run (total_us over runs of the model), of nodes and of `wall`:
///   which runs are the middle half is known only at the end of the file. Nodes still add up; a
///   disturbed run is in the mean, and median_us tells.
/// - median_us and p95_us are of single executions. Exact up to 64 of them, then from logarithmic
///   bins 1 % wide, each with its own mean: off by 1 % at most, exact where a bin holds one value.
///   Of a type they are the sums of its nodes'.
/// - A node that contains others (If, Loop, Scan) counts what those do not.
/// - accelerator_us is what the runtime saw on a device; cpu_us the node's own time less what
///   overlaps with that. `ops` stays empty, `names` is the node's name.
/// - share is of wall.mean_us; where the file tells of no whole run, of the nodes' sum.
/// - At most 65,536 nodes have a row; the time of others is gathered in one row a type.
Profile import_profile(const fs::path& path, Progress& progress);

}  // namespace quantlens
