// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quantlens/flow/session.h"

namespace quantlens::flow {

/// The data for a benchmark of this model in batches of this size; absent: the data's own choice.
FittedData benchmark_data(DataChoice choice, std::optional<std::uint64_t> batch_size,
                          const Model& model, Progress& progress);

/// Full batches, few, that runs take in turn. Throws Errc::bad_input where the data do not fill
/// one, and Errc::usage where one is too large for this machine.
std::vector<Batch> benchmark_batches(const FittedData& data, const Session& session);

/// The batches for another model, whose inputs may have other names: then they are in the same
/// order.
std::vector<Batch> batches_for(const Model& other, const Model& model, std::vector<Batch> batches);

}  // namespace quantlens::flow
