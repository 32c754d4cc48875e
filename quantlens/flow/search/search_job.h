// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/flow/search/trial_bench.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/tune.h"
#include "quantlens/record/prices.h"
#include "quantlens/tuning/strategy.h"

namespace quantlens::flow {

/// Answers a strategy: from the records of an earlier run as far as they go, then by trials. Keeps
/// each in the workload, and the best model in the output.
class SearchJob final : public Search {
 public:
  struct Place {
    TrialBench& bench;
    const Session& session;
    WorkloadWriter& workload;
    TuneResult& result;  ///< its study holds the trials of an earlier run, if any
  };

  SearchJob(const TuneOptions& options, Task task, const Place& place);

  std::optional<Trial> run(const Proposal& proposal) override;
  const Diagnosis* diagnose(const Recipe& recipe) override;
  /// Where the goal was missed: scores those that ended early and may be the best to their end,
  /// three at most. Throws Errc::failed where no trial gave a model that runs.
  void close();
  /// Trials are told what they are predicted to take from here on, and the best one now.
  void set_prices(Prices prices);
  /// Writes what the last run may not have come to write.
  void finish();

 private:
  /// Of the workload, for what is made of this recipe beside its model.
  std::string folder_of(const Recipe& recipe) const;
  Study& study() const { return *result_.study; }
  const Trial& best() const { return study().trials.at(*study().best - 1); }
  const Trial* known(const Proposal& proposal) const;
  bool is_at_limit(Look look) const;
  const Trial* hopeful() const;
  std::optional<Trial> answered(const Proposal& proposal, bool is_closing);
  std::optional<Trial> recorded(const Proposal& proposal, bool is_closing);
  Trial tried(const Proposal& proposal, bool is_closing, double& seconds);
  void keep(Trial trial, double seconds, bool is_new);
  void record();
  void restore(const Trial& best);
  void write_best(const Candidate& candidate);
  void emit(const Recipe& recipe) const;

  using Clock = std::chrono::steady_clock;

  const TuneOptions& options_;
  TrialBench& bench_;
  const Session& session_;
  WorkloadWriter& workload_;
  TuneResult& result_;
  std::vector<Trial> recorded_;  ///< of an earlier run
  std::vector<double> recorded_times_;
  std::map<std::string, Diagnosis> diagnoses_;  ///< by recipe
  std::optional<Candidate> candidate_;          ///< of the trial that is being judged
  std::optional<Prices> prices_;
  bool is_restored_ = false;  ///< the output is what the records say
  Clock::time_point begin_ = Clock::now();
};

}  // namespace quantlens::flow
