// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/flow/session.h"

namespace quantlens::flow {

/// Samples that timed runs go over in turn: enough for different data, few enough to keep. All of
/// the same size. Throws Errc::bad_input where none could be read.
std::vector<Batch> first_batches(const FittedData& data, const Session& session);

/// The same batches under the names of another model's inputs, by position. Throws
/// Errc::unsupported where it has more or fewer.
std::vector<Batch> renamed(const std::vector<Batch>& batches, const Model& from, const Model& to);

}  // namespace quantlens::flow
