// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "quantlens/flow/search/search_job.h"
#include "quantlens/flow/search/trial_bench.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/tune.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/prices.h"
#include "quantlens/tuning/space.h"

namespace quantlens::flow {

/// Prices each op's precision on this machine: profiles the float model, the one of `recipe`, and
/// one where ops that compute are int8 and float by turns, alone and two together, over the first
/// samples of the data.
Prices price_ops(TrialBench& bench, const TrialSetting& setting, const Space& space,
                 const Recipe& recipe, const Session& session);

/// After a search for speed that reached its goal: one more trial, with those ops in float that the
/// prices say are no faster in int8, if that is predicted to gain 2 % at least, and, where prices
/// are measured here, if it is faster when both are timed in turn. The prices are those of the
/// workload where it has some, or what the options name.
void speed_up(SearchJob& job, const TuneOptions& options, const SearchJob::Place& place,
              const TrialSetting& setting);

/// Throws Errc::usage where --prices names a file that the objective has no use for.
void check_use_of_prices(const TuneOptions& options);

/// What --prices names, if it names a file; to be checked against the model. Throws
/// Errc::not_found, and as records do that cannot be read.
std::optional<Prices> given_prices(const TuneOptions& options, const Store& store);

/// One run's microseconds of the float model and of another, timed in turn.
std::pair<double, double> timed_in_turn(const Model& reference, const Model& other,
                                        const FittedData& data, const Session& session);

/// Ids of the ops that a plan has in int8.
std::set<std::string> quantized_ops(const Plan& plan);

}  // namespace quantlens::flow
