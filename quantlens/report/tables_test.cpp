// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tables.h"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/record/testing/op_refs.h"
#include "quantlens/report/cell.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ActivationRow activation(const std::string& name, double mse, double sqnr_db) {
  ActivationRow row;
  row.op = op_ref(name);
  row.mse = mse;
  row.sqnr_db = sqnr_db;
  row.elements = 10;
  return row;
}

std::vector<std::string> first_column(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows) names.push_back(std::get<std::string>(row[0]));
  return names;
}

/// What a file says in a column of the table's first row.
Cell cell(const Table& table, const std::string& title) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title == title) return table.rows.at(0)[i];
  }
  return "no such column";
}

/// A column as people see it.
std::vector<std::string> column(const Table& table, const std::string& title) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title != title) continue;
    for (const auto& row : table.rows) texts.push_back(shown(row[i]));
  }
  return texts;
}

OpPlan op(const std::string& name, const std::string& type, const std::string& reason) {
  OpPlan plan;
  plan.op = op_ref(name);
  plan.type = type;
  plan.kind = type == "Constant" ? Kind::constant : Kind::other;
  plan.quantized = reason.empty();
  plan.precision = plan.quantized ? Precision::int8 : Precision::fp32;
  plan.reason = reason;
  return plan;
}

AccuracyRecord accuracy() {
  AccuracyRecord pair;
  pair.reference = Accuracy{"top1", 0.782, {{0.7437, 0.8161}}, 500};
  pair.quantized = Accuracy{"top1", 0.758, {{0.7186, 0.7935}}, 500};
  pair.difference = -0.024;
  pair.difference_interval = {{-0.041, -0.008}};
  pair.ratio = -0.0307;
  pair.lost = 18;
  pair.gained = 6;
  return pair;
}

TEST(ActivationsTable, FilesBeginAsThePredecessorsDid) {
  EXPECT_THAT(to_csv(activations_table({}, ActivationOrder::mse)),
              StartsWith("OP name,MSE,Activation min,Activation max,"));
}

TEST(ActivationsTable, IsOrderedWorstFirst) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("a", 1, 30), activation("b", 2, 40), activation("c", 3, 20)};
  EXPECT_THAT(first_column(activations_table(diagnosis, ActivationOrder::sqnr)),
              ElementsAre("c", "a", "b"));
  EXPECT_THAT(first_column(activations_table(diagnosis, ActivationOrder::mse)),
              ElementsAre("c", "b", "a"));
}

TEST(ActivationsTable, KeepsTheOrderOfEqualRows) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("a", 1, 30), activation("b", 1, 30)};
  EXPECT_THAT(first_column(activations_table(diagnosis, ActivationOrder::mse)),
              ElementsAre("a", "b"));
}

TEST(ActivationsTable, PutsAnOpWithoutAFiniteValueFirstAndAnEmptyOneLast) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Diagnosis diagnosis;
  diagnosis.activations = {activation("empty", kNan, kNan), activation("bad", 3, 20),
                           activation("all nan", kNan, kNan)};
  diagnosis.activations[0].elements = 0;
  diagnosis.activations[2].elements = 0;
  diagnosis.activations[2].nonfinite = 10;
  EXPECT_THAT(first_column(activations_table(diagnosis, ActivationOrder::sqnr)),
              ElementsAre("all nan", "bad", "empty"));
}

TEST(ActivationsTable, LeavesAFloatSidesScaleEmpty) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("a", 1, 30)};
  const Table table = activations_table(diagnosis, ActivationOrder::sqnr);
  EXPECT_EQ(cell(table, "Scale"), Cell(""));
  EXPECT_EQ(cell(table, "Side"), Cell("float"));
}

TEST(ActivationsTable, ListsTheWorstSamplesWithTheirShares) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("a", 1, 30)};
  diagnosis.activations[0].worst_samples = {{7, "cat.png", 0.5}, {2, "dog.png", 0.25}};
  EXPECT_EQ(cell(activations_table(diagnosis, ActivationOrder::sqnr), "Worst samples"),
            Cell("cat.png:0.5;dog.png:0.25"));
}

TEST(ActivationsTable, ShowsSqnrAfterThePredecessorsColumnsOnATerminal) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("conv1", 0.5, std::numeric_limits<double>::infinity())};
  EXPECT_THAT(to_text(activations_table(diagnosis, ActivationOrder::sqnr), {}),
              HasSubstr("| OP name | MSE | Activation min | Activation max | SQNR [dB] |"));
}

/// Three rows, the first two tied.
Diagnosis ranked() {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("a", 1, 19.96), activation("b", 2, 20.04),
                           activation("c", 3, 31.24)};
  std::vector<ActivationRow>& rows = diagnosis.activations;
  rows[0].sqnr_db_interval = {{19.66, 20.26}};
  rows[1].sqnr_db_interval = {{19.73, 20.35}};
  rows[2].sqnr_db_interval = {{30.83, 31.65}};
  rows[0].rank = rows[1].rank = 1;
  rows[2].rank = 3;
  rows[1].tied_with_previous = true;
  return diagnosis;
}

TEST(ActivationsTable, ShowsSqnrWithItsIntervalAndTiesAsTies) {
  EXPECT_THAT(
      to_text(activations_table(ranked(), ActivationOrder::sqnr), {.width = 76}),
      HasSubstr("| OP name | MSE | Activation min | Activation max | SQNR [dB] | Rank |\n"
                "+---------+-----+----------------+----------------+-----------+------+\n"
                "|    a    | 1.0 |      0.0       |      0.0       | 20.0 \u00B10.4 |  1=  |\n"
                "|    b    | 2.0 |      0.0       |      0.0       | 20.0 \u00B10.4 |  1=  |\n"
                "|    c    | 3.0 |      0.0       |      0.0       | 31.2 \u00B10.5 |  3   |\n"));
}

/// A Scan or an LSTM has several values; a value may have codes for several readers.
TEST(ActivationsTable, TellsRowsOfOneOpApart) {
  Diagnosis diagnosis;
  diagnosis.activations = {activation("scan", 1, 30), activation("scan", 2, 20),
                           activation("mm", 3, 10)};
  for (ActivationRow& row : diagnosis.activations) row.value = row.op.name;
  diagnosis.activations[0].value = "last_state";
  const auto text = [&] {
    return to_text(activations_table(diagnosis, ActivationOrder::sqnr), {.width = 60});
  };
  EXPECT_THAT(text(), AllOf(HasSubstr("last_state"), Not(HasSubstr("Quantized value"))));
  diagnosis.activations[0].value = "scan";
  diagnosis.activations[0].quantized = "scan_codes";
  EXPECT_THAT(text(), AllOf(HasSubstr("Value"), HasSubstr("scan_codes")));
  diagnosis.activations.erase(diagnosis.activations.begin());
  EXPECT_THAT(text(), Not(HasSubstr("Value"))) << "each op has one row";
}

TEST(ActivationsTable, MarksAlsoATieAcrossRanks) {
  Diagnosis diagnosis = ranked();
  diagnosis.activations[2].tied_with_previous = true;  // with b, and not with a
  EXPECT_THAT(column(activations_table(diagnosis, ActivationOrder::sqnr), "Rank"),
              ElementsAre("1=", "1=", "3="));
}

TEST(ActivationsTable, ShowsRanksOnlyInTheirOrderAndWhereThereAreAny) {
  const auto text = [](const Diagnosis& diagnosis, ActivationOrder order) {
    return to_text(activations_table(diagnosis, order), {.width = 0});
  };
  EXPECT_THAT(text(ranked(), ActivationOrder::sqnr), HasSubstr(" Rank "));
  EXPECT_THAT(text(ranked(), ActivationOrder::mse), Not(HasSubstr(" Rank ")));
  Diagnosis few;
  few.activations = {activation("a", 1, 30)};
  EXPECT_THAT(text(few, ActivationOrder::sqnr), Not(HasSubstr(" Rank ")));
}

TEST(ActivationsTable, FilesHaveEveryDigitAndBothEndsOfEachInterval) {
  Diagnosis diagnosis = ranked();
  diagnosis.activations[0].mse_interval = {{0.5, 2}};
  diagnosis.activations[0].cosine_interval = {{0.75, 0.875}};
  diagnosis.activations[0].clip_rate_interval = {{0.25, 0.375}};
  diagnosis.activations[0].local_sqnr_db = 25;
  diagnosis.activations[0].local_sqnr_db_interval = {{24, 26}};
  const Table table = activations_table(diagnosis, ActivationOrder::sqnr);
  const std::string csv = to_csv(table);
  EXPECT_THAT(csv, HasSubstr("\r\na,1.0,0.0,0.0,19.96,1,,25.0,"));
  const std::vector<std::pair<const char*, double>> ends{{"MSE low", 0.5},
                                                         {"MSE high", 2},
                                                         {"SQNR low [dB]", 19.66},
                                                         {"SQNR high [dB]", 20.26},
                                                         {"Local SQNR low [dB]", 24},
                                                         {"Local SQNR high [dB]", 26},
                                                         {"Cosine low", 0.75},
                                                         {"Cosine high", 0.875},
                                                         {"Clip rate low", 0.25},
                                                         {"Clip rate high", 0.375}};
  for (const auto& [title, end] : ends) EXPECT_EQ(cell(table, title), Cell(end)) << title;
  EXPECT_THAT(column(table, "Tied with previous"), ElementsAre("0", "1", "0"));
}

TEST(FindingsText, SaysWhatTheSamplesCannotTellApart) {
  Diagnosis diagnosis;
  diagnosis.conclusions = {said_in_words("All is lost.")};
  Finding finding;
  finding.rule = "rounding";
  finding.op = op_ref("conv1");
  finding.reasons = {said_in_words("8 bits")};
  finding.severity = Severity::note;
  finding.output_share = 0.5;
  finding.output_share_interval = {{0.4, 0.6}};
  diagnosis.findings = {finding, finding};
  diagnosis.findings[0].share_is_measured = true;
  diagnosis.findings[1].tied_with_previous = true;
  EXPECT_EQ(findings_text(diagnosis),
            "All is lost.\n"
            "1. note rounding, 50 % of the error (40 to 60): conv1: 8 bits\n"
            "2. note rounding, 50 % of the error (40 to 60, estimated), tied with the one above: "
            "conv1: 8 bits\n");
}

TEST(FindingsText, HasAllThatWasTried) {
  Diagnosis diagnosis;
  diagnosis.conclusions = {said_in_words("All is lost.")};
  Finding finding;
  finding.rule = "rounding";
  finding.op = op_ref("conv1");
  diagnosis.findings.assign(8, finding);
  EXPECT_THAT(findings_text(diagnosis), HasSubstr("\n3 more findings in diagnosis.json\n"));
  diagnosis.findings[6].measured_gain = 0.5;
  diagnosis.findings[6].measured_gain_interval = {{0.4, 0.6}};
  EXPECT_THAT(findings_text(diagnosis), HasSubstr("\n7. "));
  EXPECT_THAT(findings_text(diagnosis), HasSubstr("\n1 more finding in diagnosis.json\n"));
}

Finding with_remedy(Severity severity, double share, bool is_measured, double low) {
  Finding finding;
  finding.rule = "rounding";
  finding.op = op_ref("conv1");
  finding.severity = severity;
  finding.output_share = share;
  finding.output_share_interval = {{low, 1.0}};
  finding.share_is_measured = is_measured;
  finding.remedy = boost::json::object{{"accuracy_level", "best"}};
  return finding;
}

TEST(RemedyToTry, IsTheGravestThenTheSurestThenTheMeasuredThenTheLargest) {
  const Finding estimated = with_remedy(Severity::note, 0.6, false, -1);
  const Finding measured = with_remedy(Severity::note, 0.4, true, -0.1);
  const Finding larger = with_remedy(Severity::note, 0.5, true, -0.1);
  const Finding sure = with_remedy(Severity::note, 0.1, false, 0.05);
  const Finding grave = with_remedy(Severity::warning, 0.1, false, -1);
  Diagnosis diagnosis;
  diagnosis.findings = {estimated, measured};
  EXPECT_EQ(remedy_to_try(diagnosis), 2);
  diagnosis.findings.push_back(larger);
  EXPECT_EQ(remedy_to_try(diagnosis), 3);
  diagnosis.findings.push_back(sure);
  EXPECT_EQ(remedy_to_try(diagnosis), 4);
  diagnosis.findings.push_back(grave);
  EXPECT_EQ(remedy_to_try(diagnosis), 5);
  diagnosis.findings[4].remedy = nullptr;
  EXPECT_EQ(remedy_to_try(diagnosis), 4);
}

TEST(RemedyToTry, IsOneOfAFindingThatIsShown) {
  Diagnosis diagnosis;
  diagnosis.findings.assign(8, with_remedy(Severity::note, 0.5, true, 0.1));
  for (std::size_t i = 0; i < 7; ++i) diagnosis.findings[i].remedy = nullptr;
  EXPECT_EQ(remedy_to_try(diagnosis), std::nullopt);
  diagnosis.findings[7].measured_gain = 0.5;
  EXPECT_EQ(remedy_to_try(diagnosis), 8);
  EXPECT_EQ(remedy_to_try(Diagnosis()), std::nullopt);
}

TEST(FindingsText, SaysHowManyOpsAShareIsOfAndOffersNoGainThatIsNone) {
  Diagnosis diagnosis;
  diagnosis.conclusions = {said_in_words("All is lost.")};
  Finding finding;
  finding.rule = "rounding";
  finding.op = op_ref("conv1");
  finding.ops = op_refs({"conv1", "add2"});
  finding.reasons = {said_in_words("8 bits")};
  finding.severity = Severity::note;
  finding.output_share = -0.2;
  finding.output_share_interval = {{-0.4, 0.1}};
  Finding none = finding;
  none.output_share_interval = {{-0.4, -0.1}};
  Finding whole = finding;
  whole.op = {};
  whole.ops = {};
  whole.output_share.reset();
  diagnosis.findings = {finding, none, whole};
  EXPECT_EQ(findings_text(diagnosis),
            "All is lost.\n"
            "1. note rounding, in float no gain can be told (-40 to 10 % of the error gone): conv1 "
            "and 1 more op:\n   8 bits\n"
            "2. note rounding, in float it takes nothing away (-40 to -10 % of the error gone): "
            "conv1 and 1 more\n   op: 8 bits\n"
            "3. note rounding: 8 bits\n");
}

TEST(WeightsTable, FilesBeginAsThePredecessorsDid) {
  EXPECT_THAT(
      to_csv(weights_table({})),
      StartsWith("OP name,MSE,Input model min,Input model max,Input model mean,Input model "
                 "standard deviation,Input model variance,Optimized model min,Optimized model "
                 "max,Optimized model mean,Optimized model standard deviation,Optimized model "
                 "variance,"));
}

TEST(WeightsTable, ShowsSevenOfThePredecessorsColumnsOnATerminalThenOurs) {
  Diagnosis diagnosis;
  diagnosis.weights.emplace_back();
  diagnosis.weights[0].op = op_ref("conv1");
  const std::string text = to_text(weights_table(diagnosis), {.width = 0});
  EXPECT_THAT(text, HasSubstr("| Input model variance | Worst channel | Channel spread | SQNR "));
  EXPECT_THAT(text, Not(HasSubstr("Optimized")));
}

TEST(EffectsText, SaysTheMedianAndTheMostOfEachAlgorithm) {
  Plan plan;
  EXPECT_EQ(effects_text(plan), "");
  for (const double gain : {3.0, 12.25, 1.0}) {
    plan.effects.push_back({.algorithm = AccuracyAlgorithm::bias_correction,
                            .op = op_ref(fmt::format("conv{}", gain)),
                            .gain_db = gain});
  }
  EXPECT_EQ(
      effects_text(plan),
      "bias correction: 3 ops, 3.0 dB less error of rounded weights (median), at most 12.2 dB "
      "(conv12.25)\n");
}

TEST(EffectsText, SaysThatNoErrorIsLeftInsteadOfTheDecibelsThatStandForIt) {
  Plan plan;
  plan.effects.push_back(
      {.algorithm = AccuracyAlgorithm::bias_correction, .op = op_ref("fc1"), .gain_db = 1});
  plan.effects.push_back(
      {.algorithm = AccuracyAlgorithm::bias_correction, .op = op_ref("fc2"), .gain_db = 100});
  EXPECT_EQ(effects_text(plan),
            "bias correction: 2 ops, no error of rounded weights left (median), at most all of it "
            "gone (fc2)\n");
  plan.effects.push_back(
      {.algorithm = AccuracyAlgorithm::bias_correction, .op = op_ref("fc3"), .gain_db = 2});
  EXPECT_EQ(effects_text(plan),
            "bias correction: 3 ops, 2.0 dB less error of rounded weights (median), at most all of "
            "it gone (fc2)\n");
}

TEST(OpCountsText, DoesNotCountWeightsOnlyAsInt8) {
  const auto op = [](Precision precision) {
    OpPlan plan;
    plan.quantized = precision != Precision::fp32;
    plan.precision = precision;
    return plan;
  };
  Plan plan;
  plan.ops = {op(Precision::int8), op(Precision::w4), op(Precision::int8),
              op(Precision::fp32), op(Precision::w8), op(Precision::w4)};
  EXPECT_EQ(
      op_counts_text(plan),
      "2 ops in int8, 2 in float with weights of 4 bits, 1 in float with weights of 8 bits, 1 "
      "in float\n");
  plan.ops = {op(Precision::int8), op(Precision::fp32)};
  EXPECT_EQ(op_counts_text(plan), "1 op in int8, 1 in float\n");
  plan.ops = {op(Precision::fp32), op(Precision::fp32)};
  plan.ops[0].quantized = true;
  EXPECT_EQ(op_counts_text(plan),
            "0 ops in int8, 1 in float with values stored in codes, 1 in float\n");
}

TEST(OpCountsText, CountsTheOpsOfTheTables) {
  Plan plan;
  plan.ops = {op("a", "Conv", ""), op("b", "Softmax", "no kernel"), op("c", "Constant", "int64")};
  EXPECT_EQ(op_counts_text(plan), "1 op in int8, 1 in float\n");
  EXPECT_EQ(precision_table(plan).rows.size(), 2U);
  EXPECT_EQ(float_reasons_table(plan).rows.size(), 1U);
}

TEST(FloatEditText, SaysHowFarTheEditedModelIsFromTheOriginal) {
  FloatEdit edit{
      .model = "edited.onnx", .exact = false, .samples = 12, .outputs = {}, .accuracy = {}};
  edit.outputs = {{"scores", 17.54, 0.98765432, 0.25}, {"mask", 120, 1, 0}};
  EXPECT_EQ(float_edit_text(edit, "/w/7/edited.onnx"),
            "edited float model, an approximation: /w/7/edited.onnx\n"
            "  scores: 17.5 dB, cosine 0.987654 against the original over 12 samples\n"
            "  mask: 120.0 dB, cosine 1.000000 against the original over 12 samples\n");
  edit.exact = true;
  edit.outputs.clear();
  edit.accuracy =
      Accuracy{.metric = "top1", .value = 0.5, .interval = {{0.25, 0.75}}, .samples = 8};
  EXPECT_EQ(float_edit_text(edit, "/w/7/edited.onnx"),
            "edited float model, exact: /w/7/edited.onnx\n"
            "  top1: 0.5000, 95 % interval [0.2500, 0.7500], 8 samples\n");
}

TEST(PrecisionTable, CountsTypesWithTheMostInt8OpsFirst) {
  Plan plan;
  plan.ops = {op("add1", "Add", "no integer form"),
              op("conv1", "Conv", ""),
              op("conv2", "Conv", "the recipe keeps it in float"),
              op("pool", "MaxPool", ""),
              op("c", "Constant", "a constant"),
              op("add2", "Add", "no integer form")};
  const Table table = precision_table(plan);
  EXPECT_THAT(table.rows,
              ElementsAre(std::vector<Cell>{"Conv", 2, 1, 1}, std::vector<Cell>{"MaxPool", 1, 1, 0},
                          std::vector<Cell>{"Add", 2, 0, 2}));
}

std::vector<std::string> titles(const Table& table) {
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

TEST(PrecisionTable, HasTheColumnsOfThePredecessorsAndDropsThoseOfZerosOnly) {
  Plan plan;
  plan.ops = {op("conv1", "Conv", "")};
  EXPECT_THAT(titles(precision_table(plan)), ElementsAre("Op Type", "Total", "INT8"));
  plan.ops.push_back(op("conv2", "Conv", ""));
  plan.ops.back().precision = Precision::fp32;  // its codes are stored only
  plan.ops.push_back(op("cast", "Cast", ""));
  plan.ops.back().precision = Precision::fp16;
  const Table table = precision_table(plan, {.quantize = 2, .dequantize = 3});
  EXPECT_THAT(titles(table), ElementsAre("Op Type", "Total", "INT8", "FP16", "FP32"));
  EXPECT_THAT(table.rows, ElementsAre(std::vector<Cell>{"Conv", 2, 1, 0, 1},
                                      std::vector<Cell>{"Cast", 1, 0, 1, 0},
                                      std::vector<Cell>{"QuantizeLinear", 2, 2, 0, 0},
                                      std::vector<Cell>{"DequantizeLinear", 3, 3, 0, 0}));
}

TEST(FloatReasonsTable, GroupsByReasonAndGivesExamples) {
  Plan plan;
  plan.ops = {op("gru", "GRU", "GRU has no integer form here"), op("conv1", "Conv", "")};
  for (const char* name : {"a", "b", "c", "d"}) plan.ops.push_back(op(name, "Add", "too small"));
  EXPECT_THAT(float_reasons_table(plan).rows,
              ElementsAre(std::vector<Cell>{"too small", 4, "a, b, c, ..."},
                          std::vector<Cell>{"GRU has no integer form here", 1, "gru"}));
}

TEST(AccuracyText, TellsRatioIntervalAndFlips) {
  EXPECT_EQ(accuracy_text(accuracy()),
            "top1 (int8|fp32): 0.7580|0.7820, ratio -3.07 %, 95 % interval of the difference "
            "[-4.1, -0.8] points, 18 answers lost, 6 gained\n"
            "95 % intervals (int8|fp32): [0.7186, 0.7935]|[0.7437, 0.8161], 500 samples\n");
}

TEST(AccuracyText, CountsOneAnswerAndNamesWhatWasCompared) {
  AccuracyRecord pair = accuracy();
  pair.lost = 1;
  const std::string text = accuracy_text(pair, {.quantized = "b.onnx", .reference = "a.onnx"});
  EXPECT_THAT(text, HasSubstr("top1 (b.onnx|a.onnx): 0.7580|0.7820"));
  EXPECT_THAT(text, HasSubstr("1 answer lost, 6 gained"));
}

TEST(AccuracyTable, HasBothModelsAndTheirDifference) {
  const Table table = accuracy_table(accuracy(), {.quantized = "b.onnx", .reference = "a.onnx"});
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(to_csv(table).substr(0, to_csv(table).find('\r')),
            "Model,Metric,Value,95 % low,95 % high,Samples,Lost,Gained");
  EXPECT_THAT(to_csv(table), HasSubstr("b.onnx,top1,0.758,"));
  EXPECT_THAT(to_csv(table), HasSubstr(",18,6"));
}

TEST(AccuracyText, OfACorrelationCountsNoAnswers) {
  AccuracyRecord pair;
  pair.reference = Accuracy{"spearman_cosine", 0.8161, {{0.79, 0.85}}, 800, false, true};
  pair.quantized = Accuracy{"spearman_cosine", 0.8121, {{0.78, 0.84}}, 800, false, true};
  pair.difference = -0.004;
  pair.difference_interval = {{-0.0061, -0.0019}};
  pair.ratio = *pair.difference / 0.8161;
  EXPECT_EQ(accuracy_text(pair),
            "spearman_cosine (int8|fp32): 0.8121|0.8161, ratio -0.49 %, 95 % interval of the "
            "difference [-0.0061, -0.0019]\n"
            "95 % intervals (int8|fp32): [0.7800, 0.8400]|[0.7900, 0.8500], 800 samples\n");
}

TEST(AccuracyText, OfAnErrorHasItsDigitsAndDirection) {
  AccuracyRecord pair;
  pair.reference = Accuracy{"mse", 2.5e-05, {{2e-05, 3e-05}}, 40, false, false};
  pair.quantized = Accuracy{"mse", 1234.5, {}, 40, false, false};
  EXPECT_EQ(accuracy_text(pair),
            "mse (int8|fp32): 1234.5|2.5e-05, ratio n/a, lower is better, 95 % interval of the "
            "difference n/a\n"
            "95 % intervals (int8|fp32): n/a|[2e-05, 3e-05], 40 samples\n");
}

TEST(AccuracyText, HasNoRatioToAnAccuracyOfZero) {
  AccuracyRecord pair = accuracy();
  pair.ratio.reset();
  EXPECT_THAT(accuracy_text(pair), HasSubstr("ratio n/a,"));
}

TEST(AccuracyText, ListsAFlippedSampleWithItsAnswers) {
  AccuracyRecord pair = accuracy();
  pair.lost = 1;
  pair.gained = 0;
  pair.flips = {{4, "cat.png", FlipDirection::lost, 3, 3, 7}};
  EXPECT_THAT(accuracy_text(pair), EndsWith("Flipped samples (reference -> quantized): cat.png "
                                            "(lost, label 3: 3 -> 7)\n"));
}

TEST(AccuracyText, ListsTenFlippedSamplesAtMostAndTellsWhereTheRestIs) {
  AccuracyRecord pair = accuracy();
  pair.flips.assign(24, {0, "x", FlipDirection::lost, 1, 1, 2});
  EXPECT_THAT(accuracy_text(pair), EndsWith(" 1 -> 2); 14 more, see accuracy.json in the "
                                            "workload or --output json\n"));
}

TEST(AccuracyText, OfOneModelHasItsInterval) {
  AccuracyRecord alone;
  alone.quantized = *accuracy().reference;
  EXPECT_EQ(accuracy_text(alone), "top1: 0.7820, 95 % interval [0.7437, 0.8161], 500 samples\n");
  const Table table = accuracy_table(alone, {.quantized = "a.onnx", .reference = {}});
  EXPECT_THAT(to_csv(table), HasSubstr("a.onnx,top1,0.782,"));
  EXPECT_EQ(table.rows.size(), 1U);
}

}  // namespace
}  // namespace quantlens
