// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/profile.h"
#include "quantlens/record/statement.h"
#include "quantlens/record/workload.h"

namespace quantlens {

/// Who one of the two runs is.
struct ComparedRun {
  std::string id, name, verb;
  std::string created;  ///< UTC, RFC 3339
  WorkloadState state = WorkloadState::success;
  std::vector<ModelFile> models;
  std::vector<DataUsed> data;
  std::string metric;  ///< empty: none
  bool diagnosed = false;
  std::uint64_t samples = 0;  ///< of its diagnosis; 0: there is none
  /// Ops of its plan, and those of them that are quantized; absent where it planned nothing.
  std::optional<std::uint64_t> ops, ops_quantized;
};
BOOST_DESCRIBE_STRUCT(ComparedRun, (),
                      (id, name, verb, created, state, models, data, metric, diagnosed, samples,
                       ops, ops_quantized))

/// What is said of B beside A. better, worse: the samples tell it, and it is more than 0.1 dB;
/// equal: the figures are the same, or the whole interval of their difference is within 0.1 dB;
/// undecided: the samples cannot tell; unknown: one of the two has no figure.
BOOST_DEFINE_ENUM_CLASS(ComparisonVerdict, better, worse, equal, undecided, unknown)

/// What told that two ops are the same: id: both models have it, at the same place; name: likewise
/// of the name; structure: their places in the two networks, whatever they are called.
BOOST_DEFINE_ENUM_CLASS(OpMatchedBy, id, name, structure)

/// An activation of both runs. `a` and `b` are the two runs.
struct ComparedOp {
  OpRef a, b;  ///< of the reference of each run
  std::string type;
  OpMatchedBy matched_by = OpMatchedBy::id;
  std::string value_a, value_b;                ///< names of the activation
  bool is_output = false;                      ///< of the reference of A
  std::optional<double> sqnr_a_db, sqnr_b_db;  ///< absent: it was not compared in that run
  std::optional<double> difference_db;         ///< of B - A; above 0 B is better
  /// 95 %, of this op alone; absent where fewer than three blocks of samples tell, or at the ends
  /// of the scale.
  std::optional<std::array<double, 2>> difference_interval;
  /// The same samples in both: the interval is that of differences. Else both vary by themselves.
  bool paired = false;
  ComparisonVerdict verdict = ComparisonVerdict::unknown;
  std::optional<double> output_share_a, output_share_b;  ///< of the outputs' error, 0..1
  std::optional<Precision> precision_a, precision_b;
  /// Values that are NaN or infinite where the reference's are finite. If one run alone has some,
  /// the difference is infinite.
  std::uint64_t became_nonfinite_a = 0, became_nonfinite_b = 0;
};
BOOST_DESCRIBE_STRUCT(ComparedOp, (),
                      (a, b, type, matched_by, value_a, value_b, is_output, sqnr_a_db, sqnr_b_db,
                       difference_db, difference_interval, paired, verdict, output_share_a,
                       output_share_b, precision_a, precision_b, became_nonfinite_a,
                       became_nonfinite_b))

/// An op that the other run's reference has not, or that could not be told from others there.
struct LoneOp {
  OpRef op;
  std::string type;
};
BOOST_DESCRIBE_STRUCT(LoneOp, (), (op, type))

/// changed: of the same rule at the same op, with another severity, or a share of the outputs'
/// error whose intervals do not meet.
BOOST_DEFINE_ENUM_CLASS(FindingChange, new_, gone, changed, same)

/// A finding of one run or of both.
struct ComparedFinding {
  FindingChange change = FindingChange::same;
  std::string rule;
  std::optional<OpRef> a, b;                      ///< at which it is worst; absent: not in that run
  std::optional<std::uint64_t> index_a, index_b;  ///< its place in Diagnosis::findings
  Statements reasons;                             ///< of B; where it is gone of A
  std::optional<Severity> severity_a, severity_b;
  std::optional<double> output_share_a, output_share_b;
  std::optional<std::array<double, 2>> output_share_interval_a, output_share_interval_b;
  bool share_is_measured_a = false, share_is_measured_b = false;  ///< else it is an estimate
};
BOOST_DESCRIBE_STRUCT(ComparedFinding, (),
                      (change, rule, a, b, index_a, index_b, reasons, severity_a, severity_b,
                       output_share_a, output_share_b, output_share_interval_a,
                       output_share_interval_b, share_is_measured_a, share_is_measured_b))

/// How an interval of a difference of accuracies was made. paired: from the samples that the two
/// models answer otherwise; bounds: of the same samples, of which not all are known: it holds
/// whatever they are; unpaired: from the intervals of both; none: there is none.
BOOST_DEFINE_ENUM_CLASS(AccuracyInterval, paired, bounds, unpaired, none)

/// The quantized models' accuracies; of a run of one model that model's.
struct ComparedAccuracy {
  std::optional<Accuracy> a, b;
  std::optional<Accuracy> reference_a, reference_b;          ///< of what each was held against
  std::optional<double> difference;                          ///< B - A, in the metric's unit
  std::optional<std::array<double, 2>> difference_interval;  ///< 95 %
  AccuracyInterval interval_is = AccuracyInterval::none;
  /// Samples that A answers right and B wrong, and the reverse; absent where that is not known.
  std::optional<std::uint64_t> lost, gained;
  ComparisonVerdict verdict = ComparisonVerdict::unknown;
};
BOOST_DESCRIBE_STRUCT(ComparedAccuracy, (),
                      (a, b, reference_a, reference_b, difference, difference_interval, interval_is,
                       lost, gained, verdict))

/// An option that the two recipes have otherwise.
struct RecipeDifference {
  std::string option;  ///< its path in the document: "weight.granularity"
  json::Value a, b;    ///< null: it is not there
};
BOOST_DESCRIBE_STRUCT(RecipeDifference, (), (option, a, b))

/// An op that the two plans treat otherwise.
struct PlanDifference {
  OpRef a, b;
  std::string type;
  Precision precision_a = Precision::fp32, precision_b = Precision::fp32;
  OpForm form_a = OpForm::float_, form_b = OpForm::float_;
  std::string reason_a, reason_b;  ///< why it is not quantized; empty where it is
  /// Its parameters differ: the range or scheme of what it makes, or those of its weight.
  bool other_activation = false, other_weight = false;
};
BOOST_DESCRIBE_STRUCT(PlanDifference, (),
                      (a, b, type, precision_a, precision_b, form_a, form_b, reason_a, reason_b,
                       other_activation, other_weight))

/// What an op takes in the quantized models of both profiles, in microseconds of one run.
struct OpTimeDifference {
  OpRef a, b;
  std::string type;
  double us_a = 0, us_b = 0;  ///< kernels, conversions and layouts
};
BOOST_DESCRIBE_STRUCT(OpTimeDifference, (), (a, b, type, us_a, us_b))

/// Times of the quantized models (of one model that model's, of a benchmark the last one's), and of
/// the runs themselves.
struct ComparedTimes {
  std::optional<WallTime> a, b;  ///< of single runs; absent: that run timed nothing
  std::optional<double> ratio;   ///< of medians, B over A
  /// Conservative: from the ends of both medians' 95 % intervals. The two were not timed in turn.
  std::optional<std::array<double, 2>> ratio_interval;
  std::vector<OpTimeDifference> ops;           ///< by how much they differ, most first
  std::optional<double> seconds_a, seconds_b;  ///< that the runs took
};
BOOST_DESCRIBE_STRUCT(ComparedTimes, (), (a, b, ratio, ratio_interval, ops, seconds_a, seconds_b))

struct ComparisonCounts {
  std::uint64_t matched = 0, only_a = 0, only_b = 0;  ///< ops of the references
  std::uint64_t better = 0, worse = 0, equal = 0, undecided = 0, unknown = 0;  ///< of `ops`
  std::uint64_t findings_new = 0, findings_gone = 0, findings_changed = 0, findings_same = 0;
};
BOOST_DESCRIBE_STRUCT(ComparisonCounts, (),
                      (matched, only_a, only_b, better, worse, equal, undecided, unknown,
                       findings_new, findings_gone, findings_changed, findings_same))

/// What is different in B, of two stored runs. Made when asked for; no run stores it.
struct Comparison {
  ComparedRun a, b;
  bool same_models = false;  ///< both hold the same two files: what differs is none of the models
  Statements conclusions;    ///< the verdict: a paragraph
  Statements caveats;        ///< what may not be set against each other, and why
  ComparisonCounts counts;
  ComparedAccuracy accuracy;
  std::vector<ComparedOp> ops;  ///< worse ones first by how much, better ones likewise, others
  std::vector<LoneOp> only_a, only_b;
  std::vector<ComparedFinding> findings;  ///< new, changed, gone, same
  std::vector<RecipeDifference> recipe;   ///< by option
  std::vector<PlanDifference> plan;       ///< in the order of A's ops
  ComparedTimes times;
};
BOOST_DESCRIBE_STRUCT(Comparison, (),
                      (a, b, same_models, conclusions, caveats, counts, accuracy, ops, only_a,
                       only_b, findings, recipe, plan, times))

}  // namespace quantlens
