// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A run of two ops over 64 samples, whose SQNRs are given.
RunToCompare run_of(const std::string& id, double conv_db, double relu_db) {
  RunToCompare run;
  Workload& of = run.records.run;
  of.id = id;
  of.verb = "quantize";
  of.state = WorkloadState::success;
  of.models = {{.role = ModelRole::reference, .path = "m.onnx", .sha256 = "aa"},
               {.role = ModelRole::quantized, .path = "q.onnx", .sha256 = "of " + id}};
  of.data = {{.data = "d.npz", .fingerprint = "ff", .samples = 64}};
  Diagnosis diagnosis{.samples = 64};
  diagnosis.activations = {{.op = {.id = "c", .name = "conv"},
                            .type = "Conv",
                            .value = "c",
                            .quantized = "cq",
                            .sqnr_db = conv_db,
                            .elements = 100},
                           {.op = {.id = "r", .name = "relu"},
                            .type = "Relu",
                            .value = "r",
                            .quantized = "rq",
                            .sqnr_db = relu_db,
                            .elements = 100}};
  run.records.diagnosis = diagnosis;
  run.graph = GraphOutline{
      .ops = {{.op = "c", .name = "conv", .type = "Conv", .inputs = {"x"}, .outputs = {"c"}},
              {.op = "r", .name = "relu", .type = "Relu", .inputs = {"c"}, .outputs = {"r"}}}};
  run.find_sqnr = [=](std::string_view value, std::string_view) {
    BlockFigure figure{.whole = value == "c" ? conv_db : relu_db, .without = {}, .blocks = ~0U};
    for (std::size_t b = 0; b < kBlocks; ++b)
      figure.without[b] = figure.whole + (b % 2 == 0 ? 0.01 : -0.01);
    return std::optional(figure);
  };
  return run;
}

std::vector<std::string> said(const Statements& statements) {
  std::vector<std::string> words;
  for (const Statement& one : statements) words.push_back(one.says);
  return words;
}

TEST(Compare, OfARunWithItselfTellsNoDifference) {
  const RunToCompare run = run_of("a", 30, 25);
  const Comparison made = compare(run, run);
  EXPECT_EQ(made.counts.equal, 2U);
  EXPECT_THAT(said(made.conclusions), ElementsAre("compare.same_run"));
  EXPECT_THAT(made.caveats, IsEmpty());
}

TEST(Compare, PutsWhatIsWorseFirst) {
  const Comparison made = compare(run_of("a", 30, 25), run_of("b", 35, 20));
  ASSERT_EQ(made.ops.size(), 2U);
  EXPECT_EQ(made.ops[0].b.name, "relu");
  EXPECT_EQ(made.ops[0].verdict, ComparisonVerdict::worse);
  EXPECT_TRUE(made.ops[0].paired);
  EXPECT_EQ(made.ops[1].verdict, ComparisonVerdict::better);
  EXPECT_THAT(said(made.conclusions), ElementsAre("compare.ops", "compare.worst", "compare.best"));
}

TEST(Compare, SaysWhatBecameOfTheOutputs) {
  RunToCompare a = run_of("a", 30, 25);
  a.graph->outputs = {{.name = "r"}};
  const Comparison made = compare(a, run_of("b", 35, 20));
  EXPECT_TRUE(made.ops[0].is_output);
  EXPECT_FALSE(made.ops[1].is_output);
  EXPECT_THAT(said(made.conclusions),
              ElementsAre("compare.output", "compare.ops", "compare.worst", "compare.best"));
}

TEST(Compare, OfTheSameTwoFilesTellsNoModelAsWorse) {
  RunToCompare b = run_of("b", 35, 20);
  b.records.run.models.back().sha256 = "of a";
  b.records.run.data.front().fingerprint = "another";
  const Comparison made = compare(run_of("a", 30, 25), b);
  EXPECT_TRUE(made.same_models);
  EXPECT_EQ(made.conclusions.front().says, "compare.same_models");
}

TEST(Compare, SaysHowMuchIsInInt8) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  for (RunToCompare* run : {&a, &b})
    run->records.plan.emplace().ops = {
        {.op = {.id = "c", .name = "conv"}, .quantized = true, .precision = Precision::int8}};
  EXPECT_THAT(said(compare(a, b).conclusions), Not(::testing::Contains("compare.int8")));
  b.records.plan->ops[0] = {.op = {.id = "c", .name = "conv"}};
  const Comparison made = compare(a, b);
  EXPECT_EQ(made.a.ops_quantized, 1U);
  EXPECT_EQ(made.b.ops_quantized, 0U);
  EXPECT_THAT(said(made.conclusions), ::testing::Contains("compare.int8"));
}

TEST(Compare, TellsWhatEachModelWasHeldAgainst) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  const auto scored = [](double value) {
    return Accuracy{.metric = "top1", .value = value, .samples = 64};
  };
  a.records.accuracy = {.reference = scored(0.5), .quantized = scored(0.4)};
  b.records.accuracy = {.reference = scored(0.8), .quantized = scored(0.4)};
  const Comparison made = compare(a, b);
  EXPECT_THAT(said(made.conclusions), Not(::testing::Contains("compare.alike")));
  EXPECT_THAT(said(made.conclusions), ::testing::Contains("compare.references"));
  EXPECT_EQ(made.accuracy.reference_b->value, 0.8);
}

TEST(Compare, TimesBenchmarksOfOneBatchSizeAgainstEachOther) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  const auto timed = [](std::uint64_t batch, double us) {
    return BenchmarkResult{.batch_size = batch,
                           .wall = {.median_us = us, .median_interval = {us, us}},
                           .instances = {{}}};
  };
  a.records.benchmark.emplace().results = {timed(1, 100), timed(8, 500)};
  b.records.benchmark.emplace().results = {timed(8, 1000)};
  EXPECT_EQ(compare(a, b).times.ratio, 2);
  b.records.benchmark->results = {timed(2, 1000)};
  EXPECT_FALSE(compare(a, b).times.ratio);
}

TEST(Compare, LooksForNoPartnersWhereOneRunTellsOfNoOps) {
  RunToCompare b = run_of("b", 30, 25);
  b.records.diagnosis.reset();
  b.records.run.models = {{.role = ModelRole::reference, .path = "q.onnx", .sha256 = "of a"}};
  const Comparison made = compare(run_of("a", 30, 25), b);
  EXPECT_THAT(made.only_a, IsEmpty());
  EXPECT_THAT(said(made.caveats), ::testing::Contains("compare.crossed"));
}

TEST(Compare, PairsNothingWhereTheDataAreOthers) {
  RunToCompare other = run_of("b", 35, 20);
  other.records.run.data.front().fingerprint = "another";
  const Comparison made = compare(run_of("a", 30, 25), other);
  EXPECT_FALSE(made.ops[0].paired);
  EXPECT_TRUE(made.ops[0].difference_interval);
  EXPECT_THAT(said(made.caveats), ElementsAre("compare.other_data"));
}

TEST(Compare, TakesTwoPartsOfTheSameDataForTwoSets) {
  RunToCompare first = run_of("a", 30, 25), second = run_of("b", 30, 25);
  first.records.run.data.front().part = Samples{.first = 0, .count = 32};
  second.records.run.data.front().part = Samples{.first = 32, .count = 32};
  EXPECT_FALSE(compare(first, second).ops[0].paired);
}

TEST(Compare, TakesPartsThatWereJudgedWithOtherGapsForTwoSets) {
  RunToCompare first = run_of("a", 30, 25), second = run_of("b", 30, 25);
  first.samples.emplace().insert(0);
  second.samples = first.samples;
  EXPECT_TRUE(compare(first, second).ops[0].paired);
  second.samples->insert(2);
  const Comparison made = compare(first, second);
  EXPECT_FALSE(made.ops[0].paired);
  EXPECT_THAT(said(made.caveats), ElementsAre("compare.other_data"));
}

TEST(Compare, DistrustsHistogramsThatAreNotThoseOfTheRow) {
  RunToCompare other = run_of("b", 35, 20);
  other.find_sqnr = run_of("c", 99, 99).find_sqnr;
  const Comparison made = compare(run_of("a", 30, 25), other);
  EXPECT_EQ(made.counts.undecided, 2U);
  EXPECT_THAT(said(made.caveats), ElementsAre("compare.no_intervals"));
}

TEST(Compare, SaysThatNothingIsThereInBoth) {
  RunToCompare bare;
  bare.records.run.id = "b";
  bare.records.run.state = WorkloadState::failure;
  const Comparison made = compare(run_of("a", 30, 25), bare);
  EXPECT_THAT(said(made.conclusions), ElementsAre("compare.nothing"));
  EXPECT_THAT(said(made.caveats),
              ::testing::IsSupersetOf({"compare.failed", "compare.not_diagnosed"}));
}

TEST(Compare, TellsFindingsThatAreNewGoneAndChanged) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  const auto finding = [](const std::string& rule, const std::string& op, Severity severity) {
    return Finding{.rule = rule, .op = {.id = op, .name = op}, .severity = severity};
  };
  a.records.diagnosis->findings = {finding("saturation", "c", Severity::note),
                                   finding("rounding", "c", Severity::note),
                                   finding("rounding", "r", Severity::note)};
  b.records.diagnosis->findings = {finding("rounding", "r", Severity::note),
                                   finding("saturation", "c", Severity::problem),
                                   finding("huge_mask", "c", Severity::note)};
  std::vector<std::string> told;
  for (const ComparedFinding& one : compare(a, b).findings) told.push_back(one.rule);
  EXPECT_THAT(told, ElementsAre("huge_mask", "saturation", "rounding", "rounding"));
  const ComparisonCounts counts = compare(a, b).counts;
  EXPECT_EQ(counts.findings_new + counts.findings_gone + counts.findings_changed, 3U);
}

/// 100 samples of which so many are right in the reference; these flips.
void score(RunToCompare& run, double value, const std::vector<Flip>& flips) {
  AccuracyRecord record;
  record.reference = Accuracy{.metric = "top1", .value = 0.9, .samples = 100};
  record.quantized = Accuracy{.metric = "top1", .value = value, .samples = 100};
  record.quantized.interval = {value - 0.05, value + 0.05};
  for (const Flip& flip : flips)
    ++(flip.direction == FlipDirection::lost ? record.lost : record.gained);
  record.flips = flips;
  run.records.accuracy = record;
}

TEST(Compare, FindsTheSamplesThatTwoQuantizedModelsAnswerOtherwise) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  const auto lost = [](std::uint64_t sample) {
    return Flip{.sample = sample, .direction = FlipDirection::lost};
  };
  const Flip gained{.sample = 9, .direction = FlipDirection::gained};
  score(a, 0.88, {lost(1), lost(2)});
  score(b, 0.89, {lost(2), lost(3), gained});
  const ComparedAccuracy made = compare(a, b).accuracy;
  EXPECT_EQ(made.interval_is, AccuracyInterval::paired);
  EXPECT_EQ(made.lost, 1U);    // 3
  EXPECT_EQ(made.gained, 2U);  // 1 and 9
  EXPECT_NEAR(*made.difference, 0.01, 1e-12);
  EXPECT_EQ(made.verdict, ComparisonVerdict::undecided);
}

TEST(Compare, WidensTheIntervalWhereFlipsAreCutOrDataAreOthers) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  const std::vector<Flip> flips{{.sample = 1}, {.sample = 2}};
  score(a, 0.88, flips);
  score(b, 0.88, flips);
  const auto width = [&] {
    const auto [low, high] = compare(a, b).accuracy.difference_interval.value();
    return high - low;
  };
  const double paired = width();
  b.records.accuracy->flips.pop_back();
  EXPECT_EQ(compare(a, b).accuracy.interval_is, AccuracyInterval::bounds);
  EXPECT_GT(width(), paired);
  b.records.run.data.front().fingerprint = "another";
  EXPECT_EQ(compare(a, b).accuracy.interval_is, AccuracyInterval::unpaired);
  EXPECT_GT(width(), paired);
}

TEST(Compare, SubtractsNoAccuraciesOfTwoMetrics) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  score(a, 0.88, {});
  score(b, 0.88, {});
  b.records.accuracy->quantized.metric = "top5";
  EXPECT_FALSE(compare(a, b).accuracy.difference);
  EXPECT_THAT(said(compare(a, b).caveats), ElementsAre("compare.other_metric"));
}

TEST(Compare, TellsOptionsAndPlansThatDiffer) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  a.recipe = b.recipe = Recipe();
  a.records.plan = b.records.plan = Plan();
  a.records.plan->ops = {{.op = {.id = "c", .name = "conv"}, .type = "Conv"}};
  b.records.plan->ops = a.records.plan->ops;
  EXPECT_THAT(compare(a, b).plan, IsEmpty());
  EXPECT_THAT(compare(a, b).recipe, IsEmpty());
  b.records.plan->ops[0].precision = Precision::int8;
  EXPECT_EQ(compare(a, b).plan.front().precision_b, Precision::int8);
}

// 18 % of NaN are no "equal" because the rest of the values is.
TEST(Compare, TellsNaNThatOneRunAloneHasAsWorse) {
  const RunToCompare a = run_of("a", 30, 25);
  RunToCompare b = run_of("b", 30, 25);
  b.records.diagnosis->activations[1].became_nonfinite = 18;
  const Comparison made = compare(a, b);
  EXPECT_EQ(made.counts.worse, 1U);
  EXPECT_EQ(made.ops.front().value_b, "r");
  EXPECT_EQ(made.ops.front().difference_db, -std::numeric_limits<double>::infinity());
  EXPECT_THAT(said(made.conclusions), ::testing::Contains("compare.nonfinite"));
  EXPECT_EQ(compare(b, a).counts.better, 1U);
  EXPECT_EQ(compare(b, b).counts.equal, 2U);
}

TEST(Compare, TellsAnAccuracyThatBecameNaNAsWorse) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  score(a, 0.88, {});
  score(b, std::nan(""), {});
  EXPECT_EQ(compare(a, b).accuracy.verdict, ComparisonVerdict::worse);
  EXPECT_EQ(compare(b, a).accuracy.verdict, ComparisonVerdict::better);
  score(a, std::nan(""), {});
  EXPECT_EQ(compare(a, b).accuracy.verdict, ComparisonVerdict::unknown);
}

// Of a model that has nearly nothing right, few samples can be lost.
TEST(Compare, BoundsTheFlipsOfAModelThatCollapsed) {
  RunToCompare a = run_of("a", 30, 25), b = run_of("b", 30, 25);
  score(a, 0.01, {});
  score(b, 0.88, {});
  a.records.accuracy->lost = 89;  // their list is cut
  b.records.accuracy->lost = 13;
  b.records.accuracy->gained = 11;
  const ComparedAccuracy made = compare(a, b).accuracy;
  EXPECT_EQ(made.interval_is, AccuracyInterval::bounds);
  EXPECT_EQ(made.verdict, ComparisonVerdict::better);
}

TEST(Compare, HoldsNaNForNoVerdict) {
  const Comparison made = compare(run_of("a", 30, 25), run_of("b", std::nan(""), 25));
  EXPECT_EQ(made.counts.unknown, 1U);
  EXPECT_EQ(made.counts.equal, 1U);
}

}  // namespace
}  // namespace quantlens
