// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/graph/outline.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Attributes with(Attributes attributes, const Attributes& more) {
  for (const auto& [key, value] : more) attributes.insert_or_assign(key, value);
  return attributes;
}

const Attributes kWindow{
    {"T", type(kFloat)}, {"strides", numbers({1, 2, 3, 1})}, {"padding", text("VALID")}};

/// Beside the inputs "x" [2,9,9,4] and "v" [4]: constants to read.
GraphBytes net() {
  GraphBytes graph;
  graph.producer(1286)
      .input("x", {2, 9, 9, 4})
      .input("v", {4})
      .constant("filter", floats({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .constant("halves", floats({1, 1, 2, 2}, {1, 2, 3, 4}))
      .constant("each", floats({1, 1, 4, 1}, {1, 2, 3, 4}))
      .constant("matrix", floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .constant("zero", integers({}, {0}))
      .constant("one", integers({}, {1}))
      .constant("axes", integers({2}, {1, 2}))
      .constant("order", integers({4}, {0, 3, 1, 2}))
      .constant("extents", integers({4}, {2, 9, 9, 4}))
      .constant("pairs", integers({4, 2}, {0, 0, 1, 2, 3, 4, 0, 0}))
      .constant("parts", integers({2}, {1, -1}));
  return graph;
}

Node told(const std::string& op, const std::vector<std::string>& inputs,
          const Attributes& attributes = kOfFloats) {
  return maker(net().node("y", op, inputs, attributes).read().graph, "y");
}

std::string shape_of(const std::string& op, const std::vector<std::string>& inputs,
                     const Attributes& attributes = kOfFloats) {
  const GraphOutline drawn = outline(net().node("y", op, inputs, attributes).read().graph);
  return drawn.outputs.at(0).shape;
}

TEST(GraphDefMeaning, OfConvolutionsIsToldByTheAxesOfFilterAndData) {
  const Node node = told("Conv2D", {"x", "filter"}, kWindow);
  EXPECT_EQ(node.kind, Kind::conv);
  EXPECT_EQ(
      *role<roles::Convolution>(node),
      (roles::Convolution{
          .output_axis = 3, .input_axis = 2, .channel_axis = 3, .window = {.strides = {2, 3}}}));
  EXPECT_EQ(weight_of(node), "filter");
  EXPECT_EQ(shape_of("Conv2D", {"x", "filter"}, kWindow), "[2,5,3,2]");
}

TEST(GraphDefMeaning, OfOpsOfOneDnnIsThatOfTheOpsWhosePlaceTheyHaveTaken) {
  EXPECT_EQ(plain_type("_MklNativeDepthwiseConv2dNative"), "DepthwiseConv2dNative");
  EXPECT_EQ(plain_type("_MklNativeFusedConv2D"), "_FusedConv2D");
  EXPECT_EQ(plain_type("_MklSoftmax"), "Softmax");
  EXPECT_EQ(plain_type("_MklUnheardOf"), "UnheardOf");
  EXPECT_EQ(plain_type("MatMul"), "MatMul");
  const Node node = told("_MklNativeConv2D", {"x", "filter"}, kWindow);
  EXPECT_EQ(node.type, "_MklNativeConv2D");
  EXPECT_EQ(node.kind, Kind::conv);
  EXPECT_EQ(weight_of(node), "filter");
  const Node fused = told("_MklNativeFusedConv2D", {"x", "filter", "zero"}, kWindow);
  EXPECT_NE(role<roles::Convolution>(fused), nullptr);
  EXPECT_EQ(told("_MklSoftmax", {"x"}).kind, Kind::softmax);
}

TEST(GraphDefMeaning, OfConvolutionsFollowsTheDataFormat) {
  const Attributes first{
      {"data_format", text("NCHW")}, {"strides", numbers({1, 1, 2, 3})}, {"padding", text("SAME")}};
  const Node node = told("Conv2D", {"x", "filter"}, first);
  const auto* role = quantlens::role<roles::Convolution>(node);
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(role->channel_axis, 1U);
  EXPECT_EQ(role->output_axis, 3U);
  EXPECT_TRUE(role->window.pads_to_fit);
  EXPECT_THAT(role->window.strides, ElementsAre(2, 3));
}

TEST(GraphDefMeaning, OfConvolutionsHasExplicitPadsInFrontThenBehind) {
  const Attributes padded = with(kWindow, {{"padding", text("EXPLICIT")},
                                           {"explicit_paddings", numbers({0, 0, 1, 2, 3, 4, 0, 0})},
                                           {"dilations", numbers({1, 1, 2, 1})}});
  const Node node = told("Conv2D", {"x", "filter"}, padded);
  const auto* role = quantlens::role<roles::Convolution>(node);
  EXPECT_THAT(role->window.pads, ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(role->window.dilations, ElementsAre(1, 2));
  EXPECT_EQ(shape_of("Conv2D", {"x", "filter"}, padded), "[2,6,6,2]");
}

TEST(GraphDefMeaning, OfAConv2DFindsItsGroupsByTheDataSChannels) {
  EXPECT_EQ(groups_of(told("Conv2D", {"x", "halves"}, kWindow)), 2);
  EXPECT_EQ(groups_of(told("Conv2D", {"x", "filter"}, kWindow)), 1);
}

TEST(GraphDefMeaning, OfDepthwiseConvolutionsIsOneInGroups) {
  const Node node = told("DepthwiseConv2dNative", {"x", "each"}, kWindow);
  const auto* role = quantlens::role<roles::Convolution>(node);
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(role->output_axis, 2U);
  EXPECT_EQ(role->input_axis, 3U);
  EXPECT_EQ(role->groups, 4);
  EXPECT_EQ(shape_of("DepthwiseConv2dNative", {"x", "each"}, kWindow), "[2,5,3,4]");
}

TEST(GraphDefMeaning, OfDepthwiseConvolutionsWithSeveralResultsForAChannelIsNotTold) {
  const Node node = told("DepthwiseConv2dNative", {"x", "filter"}, kWindow);
  EXPECT_EQ(node.kind, Kind::other);
  EXPECT_NE(role<roles::UntoldProduct>(node), nullptr);
}

TEST(GraphDefMeaning, OfTransposedConvolutionsHasTheDataFirst) {
  const Node node = told("Conv2DBackpropInput", {"extents", "filter", "x"}, kWindow);
  EXPECT_EQ(node.kind, Kind::conv_transpose);
  EXPECT_THAT(node.inputs, ElementsAre("x", "filter", "extents"));
  const auto* role = quantlens::role<roles::Convolution>(node);
  EXPECT_EQ(role->output_axis, 2U);
  EXPECT_EQ(role->input_axis, 3U);
  EXPECT_TRUE(role->window.has_extents);
  EXPECT_EQ(bias_of(node), "");
}

TEST(GraphDefMeaning, OfWhatNoWindowSaysIsNotTold) {
  for (const Attributes& odd : {with(kWindow, {{"strides", numbers({2, 1, 1, 1})}}),
                                with(kWindow, {{"padding", text("?")}}),
                                with(kWindow, {{"data_format", text("NCHW_VECT_C")}}),
                                with(kWindow, {{"padding", text("EXPLICIT")}})}) {
    EXPECT_EQ(told("Conv2D", {"x", "filter"}, odd).kind, Kind::other);
  }
}

TEST(GraphDefMeaning, OfProductsSaysWhatIsTransposed) {
  const Node plain = told("MatMul", {"x", "matrix"});
  EXPECT_EQ(plain.kind, Kind::matmul);
  EXPECT_FALSE(transposes_b(plain));
  const Attributes turned{{"T", type(kFloat)}, {"transpose_b", flag(true)}};
  EXPECT_TRUE(transposes_b(told("MatMul", {"matrix", "matrix"}, turned)));
  EXPECT_EQ(shape_of("MatMul", {"matrix", "matrix"}, turned), "[4,4]");
  EXPECT_TRUE(transposes_a(
      told("BatchMatMulV2", {"x", "x"}, {{"T", type(kFloat)}, {"adj_x", flag(true)}})));
}

TEST(GraphDefMeaning, OfBiasesIsAnAddWhereChannelsComeLast) {
  EXPECT_EQ(told("BiasAdd", {"x", "v"}).kind, Kind::add);
  EXPECT_EQ(told("BiasAdd", {"x", "v"}, {{"data_format", text("NCHW")}}).kind, Kind::other);
}

TEST(GraphDefMeaning, OfNormalizationsHasTheAxisOfChannels) {
  const Node node =
      told("FusedBatchNormV3", {"x", "v", "v", "v", "v"},
           {{"T", type(kFloat)}, {"epsilon", real(0.5F)}, {"is_training", flag(false)}});
  const auto* role = quantlens::role<roles::Normalization>(node);
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(role->channel_axis, 3U);
  EXPECT_EQ(role->epsilon, 0.5F);
  EXPECT_FALSE(role->is_training);
  EXPECT_THAT(node.outputs, ElementsAre("y", "", "", "", "", "")) << "nobody reads the others";
  EXPECT_TRUE(
      quantlens::role<roles::Normalization>(told("FusedBatchNorm", {"x", "v", "v", "v", "v"}))
          ->is_training);
}

TEST(GraphDefMeaning, OfPoolsHasTheAxisOfChannels) {
  const Attributes pool = with(kWindow, {{"ksize", numbers({1, 2, 2, 1})}});
  const Node node = told("AvgPool", {"x"}, pool);
  EXPECT_EQ(node.kind, Kind::average_pool);
  EXPECT_EQ(role<roles::Pool>(node)->channel_axis, 3U);
  EXPECT_EQ(shape_of("MaxPool", {"x"}, pool), "[2,4,3,4]");
  const Attributes over_channels = with(pool, {{"ksize", numbers({1, 1, 1, 2})}});
  EXPECT_EQ(told("MaxPool", {"x"}, over_channels).kind, Kind::other);
}

TEST(GraphDefMeaning, OfRelu6IsAClip) {
  const Node node = told("Relu6", {"x"});
  EXPECT_EQ(node.kind, Kind::clip);
  EXPECT_EQ(role<roles::Bounds>(node)->low, 0.F);
  EXPECT_EQ(role<roles::Bounds>(node)->high, 6.F);
}

TEST(GraphDefMeaning, OfReductionsDropsAxesUnlessToldOtherwise) {
  EXPECT_EQ(shape_of("Mean", {"x", "axes"}), "[2,4]");
  EXPECT_EQ(shape_of("Max", {"x", "axes"}, {{"keep_dims", flag(true)}}), "[2,1,1,4]");
  EXPECT_EQ(told("Sum", {"x", "axes"}).kind, Kind::reduce_sum);
}

TEST(GraphDefMeaning, OfMovesIsToldByTheirConstants) {
  EXPECT_EQ(shape_of("Transpose", {"x", "order"}), "[2,4,9,9]");
  EXPECT_EQ(shape_of("ExpandDims", {"v", "one"}), "[4,1]");
  EXPECT_EQ(shape_of("Squeeze", {"each"}, {{"squeeze_dims", numbers({})}}), "[4]");
  EXPECT_EQ(shape_of("Squeeze", {"each"}, {{"squeeze_dims", numbers({0, -1})}}), "[1,4]");
  EXPECT_EQ(shape_of("Reshape", {"x", "parts"}), "[1,648]");
  EXPECT_EQ(shape_of("GatherV2", {"x", "axes", "one"}), "[2,2,9,4]");
  EXPECT_EQ(told("Transpose", {"x", "v"}).kind, Kind::other) << "an order that is not constant";
}

TEST(GraphDefMeaning, OfJoinsAndSplitsLeavesTheAxisToTheRole) {
  const Node joined = told("ConcatV2", {"x", "x", "one"}, {{"N", number(2)}});
  EXPECT_EQ(joined.kind, Kind::concat);
  EXPECT_THAT(joined.inputs, ElementsAre("x", "x"));
  EXPECT_EQ(axis_of(joined), 1);
  EXPECT_EQ(shape_of("ConcatV2", {"x", "x", "one"}, {{"N", number(2)}}), "[2,18,9,4]");
  EXPECT_THAT(told("Concat", {"one", "x", "x"}).inputs, ElementsAre("x", "x"));
  const Node parts = told("Split", {"zero", "x"}, {{"num_split", number(2)}});
  EXPECT_EQ(parts.kind, Kind::split);
  EXPECT_THAT(parts.inputs, ElementsAre("x"));
  EXPECT_EQ(told("ConcatV2", {"x", "x", "v"}).kind, Kind::other) << "an axis that is not constant";
}

TEST(GraphDefMeaning, OfASplitByExtentsKnowsThoseThatAreSaid) {
  const GraphOutline drawn = outline(
      net().node("y", "SplitV", {"x", "parts", "one"}, {{"num_split", number(2)}}).read().graph);
  EXPECT_EQ(drawn.outputs.at(0).shape, "[2,1,9,4]");
  EXPECT_EQ(drawn.outputs.at(1).shape, "[2,?,9,4]");
}

TEST(GraphDefMeaning, OfPadsHasAllInFrontThenAllBehind) {
  const Node node = told("Pad", {"x", "pairs"});
  EXPECT_EQ(node.kind, Kind::pad);
  EXPECT_THAT(role<roles::Padding>(node)->pads, ElementsAre(0, 1, 3, 0, 0, 2, 4, 0));
  EXPECT_EQ(pads_of(node), "") << "the input has another order";
  EXPECT_EQ(shape_of("Pad", {"x", "pairs"}), "[2,12,16,4]");
  EXPECT_FALSE(role<roles::Padding>(told("MirrorPad", {"x", "pairs"}))->is_constant);
}

TEST(GraphDefMeaning, OfSlicesIsToldWithoutMasks) {
  const std::vector<std::string> inputs{"x", "extents", "extents", "extents"};
  EXPECT_EQ(told("StridedSlice", inputs).kind, Kind::slice);
  EXPECT_EQ(told("StridedSlice", inputs, {{"shrink_axis_mask", number(1)}}).kind, Kind::other);
}

TEST(GraphDefMeaning, OfOpsThatChangeTypesSaysWhichTheyGive) {
  const auto type_of = [](const std::string& op, const Attributes& attributes) {
    const GraphOutline drawn = outline(net().node("y", op, {"x", "one"}, attributes).read().graph);
    return drawn.outputs.at(0).dtype;
  };
  EXPECT_EQ(type_of("Cast", {{"DstT", type(kInt8)}}), "int8");
  EXPECT_EQ(type_of("Shape", {}), "int32") << "where the node does not say it";
  EXPECT_EQ(type_of("Shape", {{"out_type", type(kInt64)}}), "int64");
  EXPECT_EQ(type_of("ArgMax", {}), "int64");
  EXPECT_EQ(type_of("Greater", kOfFloats), "boolean");
  EXPECT_EQ(type_of("Rsqrt", kOfFloats), "float32");
  EXPECT_EQ(type_of("MyOp", kOfFloats), "?");
}

TEST(GraphDefMeaning, OfFunctionsOfElementsWithoutAKindIsThatTheyAre) {
  EXPECT_EQ(shape_of("Rsqrt", {"x"}), "[2,9,9,4]");
  EXPECT_EQ(shape_of("SquaredDifference", {"x", "v"}), "[2,9,9,4]");
  EXPECT_EQ(shape_of("MyOp", {"x"}), "?");
}

TEST(GraphDefMeaning, OfOpsOnCodesIsThatTheyAre) {
  for (const char* op : {"QuantizeV2", "Dequantize", "FakeQuantWithMinMaxVars", "QuantizedConv2D",
                         "RequantizationRange", "QuantizeAndDequantizeV4"}) {
    const Node node = told(op, {"x"});
    EXPECT_EQ(node.kind, Kind::other) << op;
    EXPECT_NE(role<roles::UntoldCodes>(node), nullptr) << op;
  }
}

TEST(GraphDefMeaning, OfFusedOpsIsWhatIsInside) {
  const Attributes fused = with(kWindow, {{"fused_ops", texts({"BiasAdd", "Relu"})}});
  const Node node = told("_FusedConv2D", {"x", "filter", "v"}, fused);
  EXPECT_EQ(node.kind, Kind::other);
  EXPECT_EQ(bias_of(node), "v");
  EXPECT_TRUE(fuses_activation(node));
  const Attributes codes = with(
      fused, {{"Tdevice_outputs", types({kUint8})}, {"Thost_outputs", types({kFloat, kFloat})}});
  const Node quantized = told("_FusedQuantizedConv2D", {"x", "filter", "v"}, codes);
  EXPECT_EQ(weight_of(quantized), "filter");
  EXPECT_EQ(quantized.outputs.size(), 3U);
  EXPECT_EQ(bias_of(told("_FusedMatMul", {"matrix", "matrix", "v"}, fused)), "v");
}

TEST(GraphDefMeaning, OfUnknownOpsIsNone) {
  const Node node = told("MyOp", {"x"});
  EXPECT_EQ(node.kind, Kind::other);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(node.roles));
  EXPECT_THAT(node.results, IsEmpty());
}

}  // namespace
}  // namespace quantlens::graphdef
