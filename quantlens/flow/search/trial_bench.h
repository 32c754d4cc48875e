// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"
#include "quantlens/flow/steps/models/build_model.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/prices.h"
#include "quantlens/record/scores.h"
#include "quantlens/record/study.h"
#include "quantlens/tuning/strategy.h"

namespace quantlens::flow {

/// What all trials of a search share.
struct TrialSetting {
  const Model& given;       ///< the user's file, whose accuracy is that of the float model
  const Indexed& original;  ///< made_ready of it
  const FittedData& data;
  const FittedData& calibration;
  MetricSpec metric;
  Goal goal;
  Recipe start;     ///< says what is calibrated
  fs::path output;  ///< where the best model goes: others are written under the same name
  std::optional<Prices> prices;  ///< those that are given; else they are measured, if at all
};

/// All the files that a model consists of.
struct FileSums {
  std::uint64_t bytes = 0;
  std::string sha256;  ///< of the only file, or of the hashes of all
};
FileSums sums_of(const Model& model, const Store& store);

/// A quantized model as a trial has it: planned, and written where it may be overwritten.
struct Candidate {
  PlanResult planned;
  Recipe recipe;
  std::string fingerprint;
  std::optional<FloatEdit> float_edit;  ///< where the float model was edited: without its file
};

/// Builds and judges models of recipes. The float model is calibrated once (and once more for each
/// edit that a recipe asks for) and scored once; both are kept in the workload and found there
/// again.
class TrialBench {
 public:
  TrialBench(const TrialSetting& setting, const Session& session, WorkloadWriter& workload);
  ~TrialBench();
  TrialBench(const TrialBench&) = delete;
  TrialBench& operator=(const TrialBench&) = delete;

  /// Calibrates, unless that was done.
  void calibrate();
  /// Of the float model over all samples; run once. `seconds`: what that took, where it was run.
  const Scores& reference(std::optional<double>& seconds);
  /// Of the float model's ops, by id; counted once.
  const std::map<std::string, std::uint64_t>& multiply_adds();
  /// What the model's runtime runs in int8.
  const Capabilities& able() const { return capabilities_of(setting_.original.model.format); }
  Candidate plan(const Recipe& recipe);
  /// The model of a candidate, at `path`.
  void write(const Candidate& candidate, const fs::path& path);
  /// Makes the edited model that a candidate is built from that of the run; without one, the run
  /// has none.
  void keep_edited(const Candidate& candidate);
  /// The model of a candidate, written where the next one overwrites it.
  Model built(const Candidate& candidate);
  /// Fills in what a candidate's model scores. Returns the seconds of running it.
  double judge(const Candidate& candidate, Look look, Trial& trial);
  /// Over few samples; its records go to this folder of the workload. Throws as `measure` does.
  Diagnosis diagnose(const Candidate& candidate, const std::string& part);

 private:
  struct Base;

  const Base& base_for(const Recipe& recipe);
  Written written(const Candidate& candidate, const fs::path& path);
  static GivenRanges ranges_of(const Base& base, const Draft& draft);
  std::optional<TapState> statistics_of(const Analyzed& analyzed) const;
  /// `ready`: a Run of the model alone, if there is one already.
  double score(const Model& quantized, ClosingRun ready, Look look, Trial& trial);
  double compare_outputs(const Model& quantized, Trial& trial);

  TrialSetting setting_;
  const Session& session_;
  WorkloadWriter& workload_;
  ScratchFolder scratch_;  ///< of candidates
  ScratchFolder edits_;    ///< of the edited model that is in use
  std::string judged_;     ///< what the file there was made of; empty: of something else
  std::optional<Scores> scores_;
  std::optional<std::map<std::string, std::uint64_t>> multiply_adds_;
  std::map<std::string, std::unique_ptr<Base>> bases_;  ///< by recipe; "": nothing is edited
};

}  // namespace quantlens::flow
