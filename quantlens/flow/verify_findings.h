// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/flow/build_model.h"
#include "quantlens/flow/session.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens::flow {

/// What a model was quantized from.
struct Origin {
  const FloatModel& from;
  const GivenRanges& given;
  const Recipe& recipe;
};

/// Tries the remedies of the first `count` findings that have a share of the outputs' error and a
/// remedy, each together with those before it: one alone may gain nothing where another one's error
/// fills the outputs. Quantizes with them on top of the recipe, runs that model beside the float
/// one over all of `data`, and sets how much of the outputs' error is gone. Takes one run more, of
/// the quantized model as it is. What cannot be tried, such as a remedy that edits the float model,
/// is noted.
void verify_findings(const Origin& origin, const Model& quantized, std::uint64_t count,
                     const FittedData& data, const Session& session, WorkloadWriter& workload,
                     Diagnosis& diagnosis);

}  // namespace quantlens::flow
