// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/models/build_model.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens::flow {

/// A quantized model, and what it was made from.
struct Origin {
  const FloatModel& from;
  const GivenRanges& given;
  const Recipe& recipe;
  const Model& quantized;
  const FittedData& data;
};

/// Tries the remedies of the first `count` findings that have a share of the outputs' error and a
/// remedy, each together with those before it: one alone may gain nothing where another one's error
/// fills the outputs. Quantizes with them on top of the recipe, runs that model beside the float
/// one over all of the data, and sets how much of the outputs' error is gone. Takes one run more,
/// of the quantized model as it is. The verdict then ends with what they took away. What
/// cannot be tried, such as a remedy that edits the float model, is noted, and so is it where fewer
/// than `count` findings have something to try.
void verify_findings(const Origin& origin, std::uint64_t count, const Session& session,
                     WorkloadWriter& workload, Diagnosis& diagnosis);

}  // namespace quantlens::flow
