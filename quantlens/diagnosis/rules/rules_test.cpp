// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/rules.h"

#include <cmath>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/cpu.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/diagnosis/verdict/find.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/quantizer/recipe/read_recipe.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"

namespace quantlens {
namespace {

/// A row whose error is of one part alone.
ActivationRow row_named(const std::string& value) {
  ActivationRow row;
  row.value = value;
  row.op = op_ref("node_" + value);
  row.quantized = value + "_q";
  row.scale = 0.1;
  row.max = 25.5;
  row.quantized_max = 25.5;
  row.data_range = 25.5;
  row.mean = 10;
  row.standard_deviation = 5;
  row.median = 9;
  row.elements = 1000;
  row.local_mse = 1;
  row.rounding_mse = 1;
  row.clipping_mse = row.weight_mse = row.input_mse = row.other_mse = 0;
  row.output_share = 0.5;
  return row;
}

ActivationRow made_of(ActivationRow row, std::optional<double> ActivationRow::*part) {
  row.rounding_mse = 0;
  row.*part = 1;
  return row;
}

/// conv(x, w, bias) and its quantized form, whose bias may be another one.
class RuleCase {
 public:
  RuleCase() {
    net_.input("x").weight("w", {2, 1, 1, 1}, {1, 8}).weight("bias", {2}, {1, 2});
    net_.node(Kind::conv, {"x", "w", "bias"}, "y").node(Kind::sqrt, {"y"}, "z").output("z");
    pairing_.weights.push_back({.op = op_ref("node_y"), .reference = "w", .quantized = "w_q"});
    pairing_.weights.back().scheme = {.dtype = DType::int8, .symmetric = true, .axis = 0};
    pairing_.weights.back().params = {{1.0F / 127, 0}, {8.0F / 127, 0}};
    diagnosis_.weights.push_back(
        {.op = op_ref("node_y"), .granularity = Granularity::per_channel, .sqnr_db = 45});
  }

  /// The input's codes.
  void quantize_input(Scheme scheme, QParams params) {
    pairing_.pairs = {{.op = op_ref("x"), .type = "Input", .reference = "x", .quantized = "x_q"}};
    pairing_.pairs.front().scheme = scheme;
    pairing_.pairs.front().params = params;
  }

  WeightPair& weight_pair() { return pairing_.weights.front(); }
  WeightRow& weight() { return diagnosis_.weights.front(); }
  Diagnosis& diagnosis() { return diagnosis_; }
  SmallGraph& reference() { return net_; }

  /// The quantized conv has this bias, or none.
  void quantize(const std::vector<float>& bias) {
    quantized_.input("x").constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {127, 127}));
    quantized_.weight("s", {2}, {1, 8});
    quantized_.node(Kind::dequantize, {"w_q", "s"}, "w_d");
    std::vector<std::string> inputs{"x", "w_d"};
    if (!bias.empty()) {
      quantized_.weight("b", {2}, bias);
      inputs.push_back("b");
    }
    quantized_.node(Kind::conv, inputs, "y_q").output("y_q");
  }

  /// The conv of `quantize` reads "b_codes" in steps of "b_scales" instead.
  void bias_from_codes() {
    Model model = quantized_.model();
    Node dequantize = model.graph.nodes.front();
    dequantize.inputs = {"b_codes", "b_scales"};
    dequantize.outputs = {"b_d"};
    model.graph.nodes.back().inputs[2] = "b_d";
    model.graph.nodes.insert(model.graph.nodes.begin(), dequantize);
    changed_ = model;
  }

  /// Valid until the next one is asked for.
  Evidence evidence() const {
    models_ = std::make_unique<OwnModels>(net_.model(), changed_ ? *changed_ : quantized_.model(),
                                          pairing_);
    return {*models_, diagnosis_};
  }
  SmallGraph& quantized() { return quantized_; }

 private:
  SmallGraph net_, quantized_;
  std::optional<Model> changed_;
  Pairing pairing_;
  Diagnosis diagnosis_;
  mutable std::unique_ptr<const OwnModels> models_;
};

/// The remedy is a recipe that can be read.
Recipe recipe_of(const Cause& cause) {
  return read_recipe(boost::json::serialize(cause.remedy), "remedy");
}

TEST(Rules, ClippedRangeIsWhereClippingMakesMostOfTheError) {
  const RuleCase net;
  const ActivationRow row = row_named("y");
  EXPECT_FALSE(clipped_range(net.evidence(), row));
  const auto cause = clipped_range(net.evidence(), made_of(row, &ActivationRow::clipping_mse));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->ops, op_refs({"node_y"}));
  EXPECT_EQ(recipe_of(*cause).op_name_dict.at("node_y").activation.algorithm,
            RangeAlgorithm::minmax);
}

TEST(Rules, SteepReaderIsBehindWhatIsRounded) {
  const RuleCase net;
  const auto cause = steep_reader(net.evidence(), row_named("y"));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->shared, "z");
  EXPECT_EQ(cause->ops, op_refs({"node_y"})) << "a root has no integer kernel";
  EXPECT_EQ(recipe_of(*cause).op_name_dict.at("node_y").activation.dtype, AskedDtype::fp32);
  EXPECT_FALSE(steep_reader(net.evidence(), row_named("z")));
  EXPECT_FALSE(steep_reader(net.evidence(), made_of(row_named("y"), &ActivationRow::weight_mse)));
}

TEST(Rules, NothingIsCalledRoundingOfAWeightThatMakesNothing) {
  const RuleCase net;
  ActivationRow row = made_of(row_named("y"), &ActivationRow::other_mse);
  row.weight_mse = 1e-6;
  const auto cause = rounding(net.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(said(cause->reasons), "rounding.uncompared_codes(part: 1)");
}

TEST(Rules, ALogarithmNamesTheWholeWayToIt) {
  RuleCase net;
  SmallGraph& graph = net.reference();
  graph.weight("u", {2, 2}, {1, -1, 1, 1}).node(Kind::matmul, {"z", "u"}, "m");
  graph.node(Kind::mul, {"m", "m"}, "square").node(Kind::log, {"square"}, "l").output("l");
  const auto cause = steep_reader(net.evidence(), row_named("square"));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->ops.front(), op_ref("node_m"));
  EXPECT_EQ(cause->ops.back(), op_ref("node_square"));
}

TEST(Rules, OutliersAreToldByTheirDistanceAndByTheirChannels) {
  const RuleCase net;
  ActivationRow row = row_named("y");
  EXPECT_FALSE(outlier_activation(net.evidence(), row));
  EXPECT_FALSE(outlier_channel(net.evidence(), row));
  row.channel_spread = 32;
  const auto channel = outlier_channel(net.evidence(), row);
  ASSERT_TRUE(channel);
  EXPECT_EQ(said(channel->reasons), "outlier_channel(codes: 256, codes_left: 8, spread: 32)");
  EXPECT_TRUE(channel->remedy.contains("op_name_dict"));
  RuleCase smooth;
  smooth.reference().weight("u", {2, 2}, {1, 1, 1, 1}).node(Kind::matmul, {"z", "u"}, "m");
  ActivationRow fed = row_named("z");
  fed.channel_spread = 32;
  EXPECT_TRUE(recipe_of(*outlier_channel(smooth.evidence(), fed)).recipes.smooth_quant.value());
  row.standard_deviation = 0.1;
  EXPECT_TRUE(outlier_activation(net.evidence(), row));
}

/// z of `RuleCase`, in codes of step 0.1; what `behind` makes of it is in codes of step 0.01.
ActivationRow read_by(RuleCase& net, Kind behind, std::vector<float> constants) {
  net.reference().weight("f", {1, 2, 1, 1}, std::move(constants)).node(behind, {"z", "f"}, "e");
  net.diagnosis().activations = {row_named("e")};
  net.diagnosis().activations.front().scale = 0.01;
  ActivationRow row = row_named("z");
  row.channel_spread = 100;
  return row;
}

TEST(Rules, AnUnfoldedScaleMakesStepsCoarserThanThoseOfItsResult) {
  RuleCase times, over;
  ActivationRow row = read_by(times, Kind::mul, {0.01F, 1});
  const auto cause = unfolded_scale(times.evidence(), row);
  ASSERT_TRUE(cause);
  const Statement& told = cause->reasons.at(0);
  EXPECT_EQ(told.says, "unfolded_scale.result");
  EXPECT_EQ(told.figures.at("op"), figure::op(op_ref("node_e")));
  EXPECT_NEAR(told.figures.at("coarser").value.as_double(), 10 * std::sqrt((1 + 0.0001) / 2), 1e-6);
  EXPECT_THAT(cause->ops, testing::Contains(op_ref("node_e")));
  row = read_by(over, Kind::div, {100, 1});
  EXPECT_TRUE(unfolded_scale(over.evidence(), row));
}

TEST(Rules, AScaleThatLeavesTheStepsOfItsResultIsNoCause) {
  RuleCase even, fine, summed;
  ActivationRow row = read_by(even, Kind::mul, {1, 1});
  EXPECT_FALSE(unfolded_scale(even.evidence(), row));
  row = read_by(fine, Kind::mul, {0.01F, 1});
  fine.diagnosis().activations.front().scale = 0.05;
  EXPECT_FALSE(unfolded_scale(fine.evidence(), row)) << "1.4 times";
  row = read_by(summed, Kind::add, {0.01F, 1});
  EXPECT_FALSE(unfolded_scale(summed.evidence(), row));
}

TEST(Rules, AnUnfoldedScaleWhoseConstantsShareAScaleRoundsSmallOnesAway) {
  RuleCase far, near;
  read_by(far, Kind::mul, {0.01F, 1});
  const ActivationRow row = made_of(row_named("e"), &ActivationRow::weight_mse);
  const auto cause = unfolded_scale(far.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(said(cause->reasons).find("unfolded_scale.constants(factors: [0.00999"), 0U)
      << said(cause->reasons);
  EXPECT_FALSE(unfolded_scale(far.evidence(), row_named("e"))) << "its result is rounded";
  read_by(near, Kind::mul, {1, 1.5F});
  EXPECT_FALSE(unfolded_scale(near.evidence(), row));
}

TEST(Rules, AHugeMaskLeavesFewCodesToTheRest) {
  const RuleCase net;
  ActivationRow row = row_named("y");
  EXPECT_FALSE(huge_mask(net.evidence(), row));
  row.min = -10000;
  row.scale = 40;
  EXPECT_TRUE(huge_mask(net.evidence(), row));
  row.median = -200;
  EXPECT_FALSE(huge_mask(net.evidence(), row)) << "its values are that large";
  row.median = row.min;
  row.max = 20;
  EXPECT_TRUE(huge_mask(net.evidence(), row)) << "most of it is masked";
  row.max = 500;
  EXPECT_FALSE(huge_mask(net.evidence(), row)) << "its values are that large";
}

TEST(Rules, SpreadWeightIsOfOneScaleForUnequalChannels) {
  RuleCase net;
  const ActivationRow row = made_of(row_named("y"), &ActivationRow::weight_mse);
  net.weight().channels = 2;
  net.weight().channel_spread = 8;
  EXPECT_FALSE(spread_weight(net.evidence(), row)) << "per channel";
  net.weight().granularity = Granularity::per_tensor;
  const auto cause = spread_weight(net.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(recipe_of(*cause).op_name_dict.at("node_y").weight.granularity,
            Granularity::per_channel);
}

TEST(Rules, AllWeightsWithOneScaleForUnequalChannelsAreOneFinding) {
  RuleCase net;
  net.weight().channels = 2;
  net.weight().channel_spread = 8;
  net.weight().granularity = Granularity::per_tensor;
  WeightRow other = net.weight();
  other.op = op_ref("node_z");
  net.diagnosis().weights.push_back(other);
  const auto cause =
      spread_weight(net.evidence(), made_of(row_named("y"), &ActivationRow::weight_mse));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->ops, op_refs({"node_y", "node_z"}));
  EXPECT_TRUE(recipe_of(*cause).op_name_dict.contains("node_z"));
  EXPECT_FALSE(cause->shared.empty());
}

TEST(Rules, WeightScalesAreThoseOfTheirChannels) {
  RuleCase net;
  const ActivationRow row = made_of(row_named("y"), &ActivationRow::weight_mse);
  EXPECT_FALSE(weight_scales(net.evidence(), row)) << "they fit";
  net.weight().channels = 2;
  net.weight().misfit_channels = 1;
  net.weight().misfit_share = 0.9;
  const auto cause = weight_scales(net.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(said(cause->reasons), "weight_scales(channels: 2, weight_sqnr: 45, wrong: 1)");
  EXPECT_FALSE(weight_scales(net.evidence(), row_named("y"))) << "the weight makes no error here";
}

TEST(Rules, ALostBiasIsNoneOrAnotherOne) {
  ActivationRow row = made_of(row_named("y"), &ActivationRow::other_mse);
  row.shift_share = 0.8;
  RuleCase same;
  same.quantize({1, 2});
  EXPECT_FALSE(lost_bias(same.evidence(), row));
  RuleCase other;
  other.quantize({1, 0});
  ActivationRow whole = row;
  whole.local_mse = whole.other_mse = 2.5;  // of which 0.8 are a constant: 2, the bias's
  EXPECT_TRUE(lost_bias(other.evidence(), whole));
  whole.local_mse = whole.other_mse = 0.5;
  EXPECT_FALSE(lost_bias(other.evidence(), whole)) << "it corrects what a rounded weight shifts";
  whole.local_mse = whole.other_mse = 100;
  EXPECT_FALSE(lost_bias(other.evidence(), whole)) << "something greater shifts it";
  ActivationRow corrected = row;
  corrected.shift_share = 0.01;
  EXPECT_FALSE(lost_bias(other.evidence(), corrected)) << "it was changed for the better";
  corrected.value = "z";
  EXPECT_TRUE(lost_bias(other.evidence(), corrected)) << "an activation cuts the shift away";
  corrected.other_mse = *corrected.local_mse = 100;
  EXPECT_FALSE(lost_bias(other.evidence(), corrected)) << "the bias cannot make so much";
  RuleCase codes;
  codes.quantize({1, 0});
  codes.quantized().constant("b_codes", Tensor::from<std::int32_t>({2}, {10, 20}));
  codes.quantized().weight("b_scales", {2}, {0.1F, 0.05F});
  codes.bias_from_codes();
  const auto coarse = lost_bias(codes.evidence(), row);
  ASSERT_TRUE(coarse);
  EXPECT_EQ(coarse->reasons.at(0).says, "lost_bias.off");
  EXPECT_NEAR(coarse->reasons[0].figures.at("off").value.as_double(), std::sqrt(0.2), 1e-6)
      << "1 and 1 for 1 and 2";
  RuleCase none;
  none.quantize({});
  const auto cause = lost_bias(none.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(said(cause->reasons), "lost_bias.absent()");
}

TEST(Rules, ALostBiasOfAnIntegerGemmIsTold) {
  ActivationRow row = made_of(row_named("y"), &ActivationRow::other_mse);
  row.shift_share = 1;
  row.local_mse = row.other_mse = 0.5;
  for (const int code : {20, 10}) {
    RuleCase net;
    net.quantized().input("x_q").weight("xs", {}, {0.1F}).weight("ws", {}, {1});
    net.quantized().constant("z", Tensor::from<std::uint8_t>({}, {0}));
    net.quantized().constant("wz", Tensor::from<std::int8_t>({}, {0}));
    net.quantized().constant("w_q", Tensor::from<std::int8_t>({2, 1}, {127, 127}));
    net.quantized().constant("b", Tensor::from<std::int32_t>({2}, {10, code}));
    net.quantized()
        .node(Kind::qgemm, {"x_q", "xs", "z", "w_q", "ws", "wz", "b", "xs", "z"}, "y_q")
        .output("y_q");
    EXPECT_EQ(lost_bias(net.evidence(), row).has_value(), code == 10) << code;
  }
}

TEST(Rules, ABiasInStepsOfAWrongScaleIsAnEffectOfThat) {
  ActivationRow row = made_of(row_named("y"), &ActivationRow::other_mse);
  row.shift_share = 1;
  row.local_mse = row.other_mse = 0.5;
  for (const bool clips : {true, false}) {
    RuleCase net;
    net.quantized().input("x_q").weight("xs", {}, {0.1F}).weight("ws", {}, {1});
    net.quantized().constant("z", Tensor::from<std::uint8_t>({}, {0}));
    net.quantized().constant("wz", Tensor::from<std::int8_t>({}, {0}));
    net.quantized().constant("w_q", Tensor::from<std::int8_t>({2, 1, 1, 1}, {127, 127}));
    net.quantized().constant("b", Tensor::from<std::int32_t>({2}, {5, 10}));  // half of it
    net.quantized()
        .node(Kind::qconv, {"x_q", "xs", "z", "w_q", "ws", "wz", "xs", "z", "b"}, "y_q")
        .output("y_q");
    const ActivationRow read = row_named("x");
    net.diagnosis().activations = {clips ? made_of(read, &ActivationRow::clipping_mse) : read};
    const auto cause = lost_bias(net.evidence(), row);
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->is_effect, clips) << said(cause->reasons);
  }
}

TEST(Rules, WhatIsNotExplainedIsSaidToBe) {
  const RuleCase net;
  const ActivationRow row = made_of(row_named("y"), &ActivationRow::other_mse);
  EXPECT_TRUE(unexplained(net.evidence(), row));
  EXPECT_FALSE(unexplained(net.evidence(), row_named("y")));
  EXPECT_EQ(saturation(net.evidence(), row).has_value(), !cpu_has_vnni());
}

TEST(Rules, RoundingAlwaysAnswersAndTellsWeightFromResult) {
  const RuleCase net;
  const auto result = rounding(net.evidence(), row_named("y"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reasons.at(0).says, "rounding.bits");
  EXPECT_EQ(result->reasons[0].figures.at("of"), figure::text("result"));
  EXPECT_EQ(result->reasons[0].figures.at("bits"), figure::count(8));
  const auto weight = rounding(net.evidence(), made_of(row_named("y"), &ActivationRow::weight_mse));
  ASSERT_TRUE(weight);
  EXPECT_EQ(said(weight->reasons), "rounding.weight(part: 1, weight_sqnr: 45)");
  ActivationRow far = made_of(row_named("y"), &ActivationRow::weight_mse);
  far.local_sqnr_db = 15;
  EXPECT_EQ(rounding(net.evidence(), far)->reasons.at(0).says, "rounding.constants")
      << "a weight of 45 dB does not make 15";
}

TEST(Rules, InputsUnlikeThoseOfCalibrationAreClippedOrTiny) {
  RuleCase net;
  ActivationRow row = row_named("x");
  net.diagnosis().activations = {row};
  net.quantize_input({.dtype = DType::uint8}, {0.1F, 0});
  EXPECT_TRUE(unlike_data(net.evidence()).empty());
  net.diagnosis().activations[0].clip_rate = 0.2;
  net.diagnosis().activations[0].max = 26;
  EXPECT_TRUE(unlike_data(net.evidence()).empty()) << "hardly beyond: other samples";
  net.diagnosis().activations[0].max = 40;
  ASSERT_EQ(unlike_data(net.evidence()).size(), 1U);
  EXPECT_EQ(unlike_data(net.evidence())[0].severity, Severity::problem);
  net.diagnosis().activations[0] = row;
  net.diagnosis().activations[0].max = 0.1;
  EXPECT_EQ(unlike_data(net.evidence()).size(), 1U);
  net.diagnosis().activations[0].value = "y";
  EXPECT_TRUE(unlike_data(net.evidence()).empty()) << "no input";
}

/// Evidence of a file whose recipe has this algorithm, at whose input 5 % are clipped.
std::vector<Finding> unlike_where_clipped(const std::string& algorithm) {
  SmallGraph before, after;
  before.input("x").node(Kind::relu, {"x"}, "y").output("y");
  after.input("x").node(Kind::relu, {"x"}, "y").output("y");
  if (!algorithm.empty())
    after.metadata(kRecipeKey, R"({"activation": {"algorithm": ")" + algorithm + "\"}}");
  Pairing pairing;
  pairing.pairs = {{.op = op_ref("x"), .type = "Input", .reference = "x", .quantized = "x_q"}};
  pairing.pairs[0].scheme = {.dtype = DType::uint8};
  pairing.pairs[0].params = QParams{0.1F, 0};
  Diagnosis diagnosis;
  diagnosis.activations = {row_named("x")};
  diagnosis.activations[0].quantized = "x_q";
  diagnosis.activations[0].clip_rate = 0.05;
  diagnosis.activations[0].max = 40;
  const OwnModels models(before.model(), after.model(), pairing);
  return unlike_data(Evidence(models, diagnosis));
}

TEST(Rules, WhatTheRecipesAlgorithmClipsIsNoSignOfOtherData) {
  for (const std::string algorithm : {"percentile", "moving_average", "mse"}) {
    const std::vector<Finding> findings = unlike_where_clipped(algorithm);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].severity, Severity::note);
    EXPECT_EQ(said(std::span(findings[0].reasons).last(1)),
              "unlike_data.clips_on_purpose(algorithm: \"" + algorithm + "\")");
  }
  EXPECT_EQ(unlike_where_clipped("minmax")[0].severity, Severity::problem);
  EXPECT_EQ(unlike_where_clipped("")[0].reasons.back().says, "unlike_data.may_clip_on_purpose");
}

TEST(Rules, SymmetricCodesOfAnInputWithoutNegativesAreNoSignOfOtherData) {
  RuleCase net;
  net.diagnosis().activations = {row_named("x")};
  net.quantize_input({.dtype = DType::uint8, .symmetric = true}, {0.2F, 128});
  EXPECT_TRUE(unlike_data(net.evidence()).empty());
  net.quantize_input({.dtype = DType::int8, .symmetric = true}, {0.5F, 0});
  EXPECT_EQ(unlike_data(net.evidence()).size(), 1U) << "calibrated for 63.5, and it is 25.5";
}

TEST(Rules, AnInputThatIsConstantIsNotUnlikeDataThatWereTheSame) {
  RuleCase net;
  ActivationRow row = row_named("x");
  row.min = row.max = 25.5;  // a mask, a rate: calibrated for 0 to 25.5
  net.diagnosis().activations = {row};
  net.quantize_input({.dtype = DType::uint8}, {0.1F, 0});
  EXPECT_TRUE(unlike_data(net.evidence()).empty());
  net.diagnosis().activations[0].min = net.diagnosis().activations[0].max = 1;
  EXPECT_EQ(unlike_data(net.evidence()).size(), 1U) << "one that is another one now";
  net.diagnosis().activations[0].min = net.diagnosis().activations[0].max = 0;
  EXPECT_TRUE(unlike_data(net.evidence()).empty()) << "which any codes mean exactly";
}

/// x is framed and multiplied by a window, then computed with; `coded` has codes of 0..25.5, the
/// values reach `max`.
std::vector<std::string> unlike_where(const std::vector<std::string>& coded, double max) {
  SmallGraph net;
  net.input("x").weight("window", {2}, {0.5F, 1}).weight("w", {2, 2}, {1, 2, 3, 4});
  net.constant("shape", Tensor::from<std::int64_t>({2}, {1, 4}));
  net.constant("at", Tensor::from<std::int64_t>({2}, {0, 2}));
  net.node(Kind::reshape, {"x", "shape"}, "r").node(Kind::gather, {"r", "at"}, "frames");
  net.node(Kind::mul, {"frames", "window"}, "windowed");
  net.node(Kind::matmul, {"windowed", "w"}, "spectrum").output("spectrum");
  Pairing pairing;
  Diagnosis diagnosis;
  for (const std::string& value : coded) {
    ValuePair& pair = pairing.pairs.emplace_back();
    pair.reference = value;
    pair.op = op_ref(value);
    pair.quantized = value + "_q";
    pair.scheme = Scheme{.dtype = DType::uint8};
    pair.params = QParams{0.1F, 0};
    ActivationRow& row = diagnosis.activations.emplace_back(row_named(value));
    row.quantized = value + "_q";
    row.min = 0;
    row.max = max;
  }
  const OwnModels models(net.model(), SmallGraph().model(), pairing);
  std::vector<std::string> found;
  for (const Finding& finding : unlike_data(Evidence(models, diagnosis))) {
    EXPECT_EQ(finding.op, op_ref("x")) << "the data are the input's";
    found.push_back(finding.ops.front().name);
  }
  return found;
}

TEST(Rules, DataThatAreFramedAndWindowedBeforeTheyBecomeCodesAreSeenThere) {
  const std::string name = row_named("windowed").op.name;
  EXPECT_EQ(unlike_where({"windowed"}, 1), std::vector<std::string>{name});
  EXPECT_TRUE(unlike_where({"windowed"}, 25).empty()) << "they fit";
  EXPECT_TRUE(unlike_where({"spectrum"}, 1).empty()) << "it is computed";
  EXPECT_EQ(unlike_where({"windowed", "r"}, 1), std::vector<std::string>{row_named("r").op.name})
      << "told once, where it is first seen";
}

TEST(Rules, NoRecipeNamesAnInput) {
  const RuleCase net;
  ActivationRow row = row_named("x");
  row.max = 1;
  const auto cause = wasted_range(net.evidence(), row);
  ASSERT_TRUE(cause);
  EXPECT_TRUE(cause->remedy.empty());
}

TEST(Rules, NonfiniteNamesTheFirstOpOfThem) {
  RuleCase net;
  net.diagnosis().activations = {row_named("z"), row_named("y")};
  EXPECT_TRUE(nonfinite(net.evidence()).empty());
  std::vector<ActivationRow>& rows = net.diagnosis().activations;
  rows[0].nonfinite = rows[0].became_nonfinite = 3;
  rows[1].nonfinite = rows[1].became_nonfinite = 2;
  const std::vector<Finding> findings = nonfinite(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].op, op_ref("node_y"));
  EXPECT_EQ(findings[0].severity, Severity::problem) << "z is an output";
  rows[0].nonfinite = rows[0].became_nonfinite = 0;
  EXPECT_EQ(nonfinite(net.evidence())[0].severity, Severity::note);
}

// A float model that masks with infinities is no worse for it.
TEST(Rules, NonfiniteOfTheFloatModelIsNoProblem) {
  RuleCase net;
  net.diagnosis().activations = {row_named("z"), row_named("y")};
  std::vector<ActivationRow>& rows = net.diagnosis().activations;
  rows[0].nonfinite = 3;
  rows[0].elements = 5;
  rows[1].nonfinite = 2;
  std::vector<Finding> findings = nonfinite(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::note);
  EXPECT_EQ(said(findings[0].reasons),
            "nonfinite.activations(activations: 2, nonfinite: 2, pairs: 1002)");
  rows[0].became_nonfinite = 1;
  findings = nonfinite(net.evidence());
  EXPECT_EQ(findings[0].op, op_ref("node_z")) << "where the quantized model begins to have more";
  EXPECT_EQ(said(std::span(findings[0].reasons).first(1)),
            "nonfinite.became(activations: 1, nonfinite: 1, pairs: 8)");
}

TEST(Rules, NonfiniteTellsOfConstantsThatHoldSome) {
  RuleCase net;
  net.reference().weight("w", {2, 1, 1, 1}, {NAN, 8}).weight("bias", {2}, {1, INFINITY});
  const std::vector<Finding> findings = nonfinite(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].op, op_ref("node_y"));
  EXPECT_EQ(findings[0].severity, Severity::note);
  EXPECT_EQ(said(findings[0].reasons),
            "nonfinite.constants(elements: 4, nonfinite: 2, other_ops: 0)");
}

TEST(Rules, NonfiniteTellsOfScalesThatMakeNoNumbersOfCodes) {
  RuleCase net;
  ActivationRow row = row_named("x");
  row.quantized = "x_q";
  net.diagnosis().activations = {row};
  net.quantize_input({.dtype = DType::uint8}, {0.1F, 0});
  EXPECT_TRUE(nonfinite(net.evidence()).empty());
  net.quantize_input({.dtype = DType::uint8}, {INFINITY, 0});
  const std::vector<Finding> findings = nonfinite(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_EQ(said(findings[0].reasons),
            R"(nonfinite.scale(codes: "x_q", other_tensors: 0, scale: "inf"))");
  net.quantize_input({.dtype = DType::uint8}, {0, 0});
  EXPECT_EQ(nonfinite(net.evidence()).size(), 1U);
  net.diagnosis().activations[0].min = net.diagnosis().activations[0].max = 0;
  EXPECT_TRUE(nonfinite(net.evidence()).empty()) << "0 is 0 in codes of any scale";
  net.weight_pair().params[1].scale = NAN;
  EXPECT_EQ(nonfinite(net.evidence()).size(), 1U);
}

TEST(Rules, ChannelsOfNaNAreNotDead) {
  RuleCase net;
  net.reference().weight("w", {2, 1, 1, 1}, {NAN, 8});
  EXPECT_TRUE(dead_channels(net.evidence()).empty());
  net.reference().weight("w", {2, 1, 1, 1}, {0, 8});
  EXPECT_EQ(dead_channels(net.evidence()).size(), 1U);
}

TEST(Rules, AccumulationIsWhereNothingStandsOut) {
  RuleCase net;
  net.diagnosis().activations.assign(16, row_named("y"));
  for (ActivationRow& row : net.diagnosis().activations) row.output_share = 0.0625;
  const std::vector<Finding> findings = accumulation(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(said(findings[0].reasons),
            "accumulation(greatest: 0.0625, of: 16, ops: 8, together: 0.5)");
  net.diagnosis().activations[3].output_share = 0.5;
  EXPECT_TRUE(accumulation(net.evidence()).empty());
}

TEST(Rules, FloatIslandsConvertOnBothSides) {
  RuleCase net;
  SmallGraph& q = net.quantized();
  q.input("codes").weight("s", {}, {1});
  q.node(Kind::dequantize, {"codes", "s"}, "d").node(Kind::sqrt, {"d"}, "r");
  q.node(Kind::quantize, {"r", "s"}, "r_q").output("r_q");
  const std::vector<Finding> findings = float_islands(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].ops, op_refs({"node_r"}));
  EXPECT_EQ(findings[0].severity, Severity::note);
}

TEST(Rules, ASoftmaxBetweenCodesIsNoFloatIsland) {
  RuleCase net;
  SmallGraph& q = net.quantized();
  q.input("codes").weight("s", {}, {1});
  q.node(Kind::dequantize, {"codes", "s"}, "d").node(Kind::softmax, {"d"}, "r");
  q.node(Kind::quantize, {"r", "s"}, "r_q").output("r_q");
  EXPECT_TRUE(float_islands(net.evidence()).empty()) << "it runs as QLinearSoftmax";
}

TEST(Rules, DeadChannelsHaveNoWeights) {
  RuleCase net;
  EXPECT_TRUE(dead_channels(net.evidence()).empty());
  net.reference().weight("w", {2, 1, 1, 1}, {1, 0});
  const std::vector<Finding> findings = dead_channels(net.evidence());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(said(findings[0].reasons), "dead_channels(channels: 2, dead: 1)");
}

TEST(Rules, PatternsOfRemediesMatchTheNameAlone) {
  const boost::json::object remedy = in_float({op_ref("a/b(1).c")});
  EXPECT_TRUE(remedy.at("op_name_dict").as_object().contains(R"(a/b\(1\)\.c)"));
  EXPECT_TRUE(in_float({}).empty());
}

}  // namespace
}  // namespace quantlens
