// SPDX-License-Identifier: Apache-2.0
// What is stored reads back as it was, and every record's header stands alone beside the others.
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/columns.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/files.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/scores.h"
#include "quantlens/record/study.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/record/what_if.h"
#include "quantlens/record/workload.h"

namespace quantlens {
namespace {

Scheme per_channel() {
  Scheme scheme;
  scheme.dtype = DType::int8;
  scheme.symmetric = true;
  scheme.axis = 0;
  return scheme;
}

Plan some_plan() {
  Plan plan;
  plan.ops = {{.op = {"y", "conv \"1\""},
               .type = "Conv",
               .kind = Kind::conv,
               .pattern = {"Conv", "Relu"},
               .members = {"y", "z"},
               .quantized = true,
               .precision = Precision::int8,
               .form = OpForm::static_},
              {.op = {"n", "nms"}, .type = "NonMaxSuppression", .reason = "no int8 kernel"}};
  plan.activations = {{"x", Scheme{}, {0.1f, 128}, -12.8f, 12.7f, false, {{"y", 0}}},
                      {"z", Scheme{}, {1e-30f, 0}, 0, 6, true, {}}};
  plan.weights_quantized = {{"w", per_channel(), {{0.5f, 0}, {0.25f, 0}}, {{"y", 1}}}};
  plan.folds = {{"bn", "y"}};
  plan.input_edits = {{{"y", 2}, "bias_folded", ""}};
  return plan;
}

/// The record as text, read back and written again.
template <class Record>
std::string again(const std::string& text) {
  return json::dump(json::encode(json::decode<Record>(json::parse(text, "record"), "record")));
}

TEST(Records, APlanReadsBackAsItWas) {
  const Plan plan = some_plan();
  const std::string text = json::dump(json::encode(plan));
  const Plan back = json::decode<Plan>(json::parse(text, "plan.json"), "plan.json");
  EXPECT_EQ(back.ops, plan.ops);
  EXPECT_EQ(back.activations, plan.activations);
  EXPECT_EQ(back.weights_quantized, plan.weights_quantized);
  ASSERT_EQ(back.input_edits.size(), 1u);
  EXPECT_EQ(back.input_edits[0].use, plan.input_edits[0].use);
  EXPECT_EQ(again<Plan>(text), text);
}

TEST(Records, APlanInColumnsReadsBackAsItWasAndSoDoesAnOlderOne) {
  Plan plan = some_plan();
  plan.weights_quantized.push_back({"v", per_channel(), {{0.5f, 1}, {0.25f, 2}}, {{"n", 1}}});
  plan.weights_quantized.push_back({"u", per_channel(), {{0.5f, 3}}, {{"n", 2}}});
  const json::Value list = json::encode(plan);
  const json::Value columns = in_columns(list);
  EXPECT_NE(columns, list);
  for (const json::Value& stored : {list, columns}) {
    const auto read = from_file<Plan>(json::dump(stored), "plan.json");
    EXPECT_EQ(read.weights_quantized, plan.weights_quantized);
  }
}

TEST(Records, ColumnsSayAZeroPointOnceWhereAllHaveTheSame) {
  const auto text = [](const std::vector<QParams>& params) {
    return json::dump(in_columns(json::encode(params)));
  };
  EXPECT_EQ(text({{0.5f, 0}, {0.25f, 0}}),
            "{\n  \"scale\": [0.5, 0.25],\n  \"zero_point\": 0\n}\n");
  EXPECT_EQ(text({{0.5f, 1}, {0.25f, 2}}),
            "{\n  \"scale\": [0.5, 0.25],\n  \"zero_point\": [1, 2]\n}\n");
}

TEST(Records, AChannelsParametersTakeAtMostSixteenBytesOfAPlan) {
  // A float's shortest text has at most nine digits; with exponent, point and comma 16 characters.
  const auto bytes = [](std::size_t channels) {
    WeightPlan weight{.weight = "w", .scheme = per_channel(), .params = {}, .uses = {}};
    for (std::size_t c = 0; c < channels; ++c) {
      weight.params.push_back({1.0f / static_cast<float>(3 * c + 7), 0});
    }
    Plan plan;
    plan.weights_quantized = {weight};
    return json::dump(in_columns(json::encode(plan))).size();
  };
  EXPECT_LE(bytes(2000) - bytes(1000), 16'000U);
}

TEST(Records, APlansBiasesAreWrittenWithoutTheScalesThatFollowFromTheirWeights) {
  Plan plan = some_plan();
  Scheme bias = per_channel();
  bias.dtype = DType::int32;
  plan.weights_quantized.push_back({"b", bias, {{0.5f, 0}, {0.25f, 0}}, {{"y", 2}}});
  plan.weights_quantized.push_back({"c", bias, {{0.5f, 0}}, {{"n", 2}}});
  const auto weights = from_value<Plan>(plan_record(plan), "plan.json").weights_quantized;
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_EQ(weights[0], plan.weights_quantized[0]);
  EXPECT_TRUE(weights[1].params.empty());
  EXPECT_EQ(weights[1].scheme, bias);
  EXPECT_EQ(weights[2], plan.weights_quantized[2]);
}

TEST(Records, ColumnsOfUnequalLengthAreRefused) {
  const char* ends[] = {"[1]", "[1, 2, 3]", "null", "[1, 0.5]", "\"1\""};
  for (const std::string end : ends) {
    const std::string columns = R"({"scale": [0.5, 0.25], "zero_point": )" + end + "}";
    EXPECT_THROW((void)from_file<Plan>(R"({"weights_quantized": [{"params": )" + columns + "}]}",
                                       "plan.json"),
                 Error)
        << end;
  }
}

TEST(Records, APairingInColumnsReadsBackAsItWas) {
  const std::vector<QParams> params{{0.5f, 1}, {0.25f, 2}, {std::nanf(""), 2}};
  Pairing pairing;
  pairing.pairs.resize(3);
  pairing.pairs[2].channel_params = params;
  pairing.weights.resize(2);
  pairing.weights[1].params = params;
  const std::string text = to_file(pairing);
  const auto read = from_file<Pairing>(text, "pairing.json");
  EXPECT_EQ(read.pairs[2].channel_params[1], params[1]);
  EXPECT_EQ(read.weights[1].params[1], params[1]);
  EXPECT_TRUE(std::isnan(read.weights[1].params[2].scale)) << "as other tools may have it";
  EXPECT_EQ(to_file(read), text);
}

TEST(Records, EditedWeightsStayOutOfThePlansText) {
  Plan plan = some_plan();
  const std::string without = json::dump(json::encode(plan));
  plan.weights.emplace("bias_folded", Tensor::from<float>({1}, {1.5f}));
  EXPECT_EQ(json::dump(json::encode(plan)), without);
}

TEST(Records, APairingReadsBackAsItWas) {
  Pairing pairing;
  pairing.pairs = {
      {{"y", "conv"},
       "Conv",
       {"Conv"},
       "y",
       "y_q",
       Side::q_output,
       Precision::int8,
       Scheme{},
       QParams{0.25f, 3},
       {{0.5f, 1}, {0.25f, 3}},
       FoundBy::metadata},
      {{"z", "add"}, "Add", {"Add"}, "z", "z", Side::float_, {}, {}, {}, {}, FoundBy::name}};
  pairing.weights = {
      {{"y", "conv"}, "Conv", "w", "w_quantized", true, false, per_channel(), {{0.5f, 0}}}};
  pairing.only_reference = {"a"};
  pairing.only_quantized = {"b", "\xc3\xa9"};
  pairing.not_compared = {{"c", "its shape differs"}};
  pairing.pairs[1].confirmed = true;
  pairing.suspects = {{"z", "z", {"z", "add"}, FoundBy::name, 0.25}};
  const std::string text = json::dump(json::encode(pairing));
  const Pairing back = json::decode<Pairing>(json::parse(text, "pairing.json"), "pairing.json");
  EXPECT_EQ(back.pairs, pairing.pairs);
  EXPECT_EQ(back.weights, pairing.weights);
  EXPECT_EQ(back.not_compared, pairing.not_compared);
  EXPECT_EQ(back.suspects, pairing.suspects);
  EXPECT_EQ(again<Pairing>(text), text);
}

TEST(Records, ADiagnosisReadsBackWithInfinities) {
  Diagnosis diagnosis;
  diagnosis.samples = 100;
  ActivationRow row;
  row.value = "y";
  row.side = Side::integer_output;
  row.sqnr_db = std::numeric_limits<double>::infinity();
  row.sqnr_db_interval = {{20, std::numeric_limits<double>::infinity()}};
  row.rank = 3;
  row.tied_with_previous = true;
  row.min = -1.0 / 3;
  row.scale = 0.1;
  row.worst_samples = {{17, "img_17.jpg", 0.5}};
  diagnosis.activations = {row};
  WeightRow weight;
  weight.weight = "w";
  weight.reference = {-1, 1, 0, 0.5, 0.25};
  diagnosis.weights = {weight};
  diagnosis.conclusions = {said_in_words("All is lost.")};
  diagnosis.findings = {
      {.rule = "outlier_channel",
       .op = {"y", "conv"},
       .ops = {{"y", "conv"}, {"z", "add"}},
       .reasons = {{"channel", {{"channel", figure::count(3)}, {"spread", figure::number(40)}}}},
       .remedy = boost::json::object(),
       .severity = Severity::problem,
       .output_share = 0.5,
       .output_share_interval = {{0.25, 0.75}}}};
  const std::string text = json::dump(json::encode(diagnosis));
  const auto back = json::decode<Diagnosis>(json::parse(text, "diagnosis.json"), "diagnosis.json");
  EXPECT_EQ(back.activations.at(0).sqnr_db, row.sqnr_db);
  EXPECT_EQ(back.activations.at(0).sqnr_db_interval, row.sqnr_db_interval);
  EXPECT_EQ(back.activations.at(0).mse_interval, std::nullopt);
  EXPECT_EQ(back.activations.at(0).rank, 3U);
  EXPECT_TRUE(back.activations.at(0).tied_with_previous);
  EXPECT_EQ(back.activations.at(0).min, row.min);
  EXPECT_EQ(back.activations.at(0).side, row.side);
  EXPECT_EQ(back.activations.at(0).worst_samples, row.worst_samples);
  EXPECT_EQ(back.activations.at(0).zero_point, std::nullopt);
  EXPECT_EQ(again<Diagnosis>(text), text);
}

TEST(Records, ARecipeReadsBackAsItWasAndMissingFieldsKeepTheirDefaults) {
  Recipe recipe;
  recipe.op_type_dict["Add"].activation.dtype = AskedDtype::fp32;
  recipe.op_name_dict["/encoder/layer.\\d+/.*"].weight.granularity = Granularity::per_tensor;
  recipe.reduce_range = ReduceRange::true_;
  const std::string text = json::dump(json::encode(recipe));
  EXPECT_EQ(json::decode<Recipe>(json::parse(text, "recipe.json"), "recipe.json"), recipe);
  EXPECT_EQ(json::decode<Recipe>(json::parse("{}", "recipe.json"), "recipe.json"), Recipe{});
}

TEST(Records, TheOtherRecordsReadBackAsTheyWere) {
  Ranges ranges;
  ranges.samples = 5;
  ranges.values = {{"x", -1.5f, 0.1f, RangeAlgorithm::minmax}};
  ranges.empty = {"mask"};
  const std::string text = json::dump(json::encode(ranges));
  EXPECT_EQ(json::decode<Ranges>(json::parse(text, "ranges.json"), "ranges.json"), ranges);
  AccuracyRecord accuracy;
  accuracy.reference = {"top1", 0.97, {{0.93, 0.99}}, 100};
  accuracy.flips = {{3, "img_3.jpg", FlipDirection::lost, 7, 7, 1}};
  const std::string accuracy_text = json::dump(json::encode(accuracy));
  EXPECT_EQ(again<AccuracyRecord>(accuracy_text), accuracy_text);
  FloatEdit edit;
  edit.outputs = {{"scores", 17.5, 0.99, 0.25}};
  edit.accuracy = accuracy.reference;
  const std::string edit_text = json::dump(json::encode(edit));
  EXPECT_EQ(again<FloatEdit>(edit_text), edit_text);
  Study study;
  study.goal.objective = Objective::size;
  study.best = 1;
  study.trials.emplace_back().judged = Judged::missed;
  study.trials[0].accuracy = accuracy.reference;
  study.trials[0].loss = std::numeric_limits<double>::infinity();
  study.trials[0].recipe.op_name_dict["a\\.b"].weight.dtype = AskedDtype::fp32;
  const std::string study_text = json::dump(json::encode(study));
  EXPECT_EQ(again<Study>(study_text), study_text);
  EXPECT_EQ(json::decode<Study>(json::parse(study_text, "study"), "study").trials[0].recipe,
            study.trials[0].recipe);
  Scores scores;
  scores.right = "0110";
  scores.parts = {{4, 0.5, {0, std::numeric_limits<double>::infinity()}, {0.25, 0.75}}};
  const std::string scores_text = json::dump(json::encode(scores));
  EXPECT_EQ(again<Scores>(scores_text), scores_text);
  Workload workload;
  workload.state = WorkloadState::failure;
  workload.message = "interrupted";
  workload.models = {{ModelRole::reference, "model.onnx", "00ff", 12}};
  workload.environment = {{"onnxruntime", "1.31.1"}};
  const std::string workload_text = json::dump(json::encode(workload));
  EXPECT_EQ(again<Workload>(workload_text), workload_text);
}

TEST(Records, AWrongTypeIsNamedByItsPath) {
  const json::Value value = json::parse(R"({"activations": [{"params": {"scale": "x"}}]})", "plan");
  try {
    json::decode<Plan>(value, "plan.json");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("activations[0].params.scale"), std::string::npos);
  }
}

}  // namespace
}  // namespace quantlens
