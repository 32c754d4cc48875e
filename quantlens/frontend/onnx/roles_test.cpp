// The roles of nodes, against a plain reading of ONNX's documentation of each operator.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Attributes = std::map<std::string, Attribute>;
using Ints = std::vector<std::int64_t>;

/// A node with inputs "0", "1", ..., as it is read from a file.
Node read_node(const std::string& type, std::size_t inputs, Attributes attributes = {},
               const std::string& domain = {}) {
  Graph graph;
  Node node = make_node(type, {}, {"y"}, std::move(attributes));
  node.domain = domain;
  for (std::size_t i = 0; i < inputs; ++i) {
    node.inputs.push_back(std::to_string(i));
    graph.inputs.push_back({.name = std::to_string(i), .dtype = DType::float32, .shape = {}});
  }
  graph.nodes = {node};
  graph.outputs = {{.name = "y", .dtype = {}, .shape = {}}};
  return model_of(graph, {{"", 13}, {domain, domain.empty() ? 13 : 1}}).graph.nodes.at(0);
}

TEST(ReadRoles, AConvolutionOfAnyRankIsOutputsByInputs) {
  for (const std::size_t rank : {3U, 4U, 5U}) {
    const Node node = read_node("Conv", 3, {{"strides", Ints(rank - 2, 2)}});
    EXPECT_EQ(data_of(node), "0");
    EXPECT_EQ(weight_of(node), "1");
    EXPECT_EQ(bias_of(node), "2");
    EXPECT_EQ(weight_axes(node, rank)->output, 0U);
    EXPECT_EQ(weight_axes(node, rank)->input, 1U);
    EXPECT_EQ(window_of(node)->strides, Ints(rank - 2, 2));
    EXPECT_EQ(groups_of(node), 1);
  }
}

TEST(ReadRoles, GroupsOfAConvolutionAreThoseOfTheFile) {
  EXPECT_EQ(groups_of(read_node("Conv", 2, {{"group", std::int64_t{8}}})), 8);
  const Node back = read_node("ConvTranspose", 3, {{"group", std::int64_t{2}}});
  EXPECT_EQ(groups_of(back), 2);
  EXPECT_EQ(weight_axes(back, 4)->output, 1U);
  EXPECT_EQ(weight_axes(back, 4)->input, 0U);
}

TEST(ReadRoles, AWindowIsPaddedByNumbersByNameOrNotAtAll) {
  const Node plain = read_node("Conv", 2, {{"pads", Ints{1, 0, 0, 2}}, {"dilations", Ints{1, 3}}});
  EXPECT_THAT(window_of(plain)->pads, ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(window_of(plain)->dilations, ElementsAre(1, 3));
  EXPECT_FALSE(window_of(plain)->pads_to_fit);
  const Node named = read_node("Conv", 2, {{"auto_pad", std::string("SAME_LOWER")}});
  EXPECT_TRUE(window_of(named)->pads_to_fit);
  const Node valid =
      read_node("Conv", 2, {{"auto_pad", std::string("VALID")}, {"pads", Ints{1, 1, 1, 1}}});
  EXPECT_FALSE(is_padded(*window_of(valid))) << "the numbers do not count";
}

TEST(ReadRoles, APoolHasAWindowOfItsOwn) {
  const Node pool =
      read_node("MaxPool", 1, {{"kernel_shape", Ints{3, 3}}, {"ceil_mode", std::int64_t{1}}});
  EXPECT_TRUE(role<roles::Pool>(pool)->takes_maximum);
  EXPECT_THAT(window_of(pool)->kernel, ElementsAre(3, 3));
  EXPECT_TRUE(window_of(pool)->rounds_up);
  const Node mean = read_node("AveragePool", 1, {{"kernel_shape", Ints{2, 2}}});
  EXPECT_FALSE(role<roles::Pool>(mean)->takes_maximum);
  const Node back =
      read_node("ConvTranspose", 2, {{"output_shape", Ints{4, 4}}, {"output_padding", Ints{1, 0}}});
  EXPECT_TRUE(window_of(back)->has_extents);
  EXPECT_THAT(window_of(back)->output_padding, ElementsAre(1, 0));
}

TEST(ReadRoles, AGemmTransposesAndScales) {
  const Node node = read_node(
      "Gemm", 3,
      {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5F}, {"beta", 2.0F}});
  EXPECT_TRUE(transposes_a(node) && transposes_b(node));
  EXPECT_EQ(alpha_of(node), 0.5F);
  EXPECT_EQ(beta_of(node), 2.0F);
  EXPECT_EQ(weight_axes(node, 2)->output, 0U);
  EXPECT_EQ(bias_of(node), "2");
  const Node plain = read_node("Gemm", 2);
  EXPECT_FALSE(transposes_a(plain) || transposes_b(plain));
  EXPECT_EQ(alpha_of(plain), 1);
  EXPECT_EQ(weight_axes(plain, 2)->output, 1U);
}

TEST(ReadRoles, AMatMulHasNoPlaceForABias) {
  const Node node = read_node("MatMul", 2);
  EXPECT_EQ(weight_of(node), "1");
  EXPECT_EQ(bias_of(node), "");
  EXPECT_EQ(weight_axes(node, 2)->output, 1U);
}

TEST(ReadRoles, OperatorsOnCodesHaveTheirWeightBetweenScales) {
  const Node conv = read_node("QLinearConv", 9, {{"group", std::int64_t{3}}});
  EXPECT_EQ(weight_of(conv), "3");
  EXPECT_EQ(bias_of(conv), "8");
  EXPECT_EQ(groups_of(conv), 3);
  const Node gemm = read_node("QGemm", 9, {{"transB", std::int64_t{1}}}, "com.microsoft");
  EXPECT_EQ(weight_of(gemm), "3");
  EXPECT_EQ(bias_of(gemm), "6");
  EXPECT_TRUE(transposes_b(gemm));
  EXPECT_EQ(weight_of(read_node("QLinearMatMul", 8)), "3");
  EXPECT_EQ(weight_of(read_node("MatMulInteger", 4)), "1");
  const Node floats = read_node("MatMulIntegerToFloat", 7, {}, "com.microsoft");
  EXPECT_EQ(bias_of(floats), "6");
}

TEST(ReadRoles, AWeightInBlocksSaysItsExtents) {
  const Node node = read_node("MatMulNBits", 3,
                              {{"bits", std::int64_t{8}},
                               {"block_size", std::int64_t{32}},
                               {"N", std::int64_t{5}},
                               {"K", std::int64_t{64}}},
                              "com.microsoft");
  const roles::BlockMatrix expected{.bits = 8, .block_size = 32, .outputs = 5, .inputs = 64};
  EXPECT_EQ(*role<roles::BlockMatrix>(node), expected);
}

TEST(ReadRoles, ARecurrentOpSaysItsCellAndWhatItsWeightsAre) {
  const auto lstm = *role<roles::Recurrence>(read_node("LSTM", 3));
  EXPECT_EQ(lstm, (roles::Recurrence{.cell = roles::Cell::lstm}));
  EXPECT_EQ(role<roles::Recurrence>(read_node("GRU", 3))->cell, roles::Cell::gru);
  const auto first = read_node("LSTM", 3, {{"layout", std::int64_t{1}}});
  EXPECT_TRUE(role<roles::Recurrence>(first)->is_batch_first);
  const auto codes =
      *role<roles::Recurrence>(read_node("DynamicQuantizeLSTM", 12, {}, "com.microsoft"));
  EXPECT_TRUE(codes.has_codes);
  EXPECT_EQ(codes.cell, roles::Cell::lstm);
  EXPECT_EQ(codes.input_axis, 1U) << "[directions, inputs, outputs], unlike an LSTM's";
}

TEST(ReadRoles, ANormalizationHasAnEpsilonWhetherTheFileSaysItOrNot) {
  EXPECT_EQ(role<roles::Normalization>(read_node("BatchNormalization", 5))->epsilon, 1e-5F);
  const Node node =
      read_node("BatchNormalization", 5, {{"epsilon", 0.5F}, {"training_mode", std::int64_t{1}}});
  EXPECT_EQ(*role<roles::Normalization>(node),
            (roles::Normalization{.epsilon = 0.5F, .is_training = true}));
}

TEST(ReadRoles, AClipHasBoundsOfItsOwnOrInputs) {
  EXPECT_EQ(*role<roles::Bounds>(read_node("Clip", 3)), roles::Bounds{});
  const Node node = read_node("Clip", 1, {{"min", 0.0F}, {"max", 6.0F}});
  EXPECT_EQ(*role<roles::Bounds>(node), (roles::Bounds{.low = 0.0F, .high = 6.0F}));
}

TEST(ReadRoles, ACastSaysWhatItGives) {
  EXPECT_TRUE(casts_to_float(read_node("Cast", 1, {{"to", std::int64_t{10}}})));
  EXPECT_FALSE(casts_to_float(read_node("Cast", 1, {{"to", std::int64_t{7}}})));
  EXPECT_FALSE(casts_to_float(read_node("Cast", 1, {{"to", std::int64_t{999}}})));
}

TEST(ReadRoles, MovesSayTheirAxes) {
  EXPECT_THAT(permutation_of(read_node("Transpose", 1, {{"perm", Ints{0, 2, 1}}})),
              ElementsAre(0, 2, 1));
  EXPECT_THAT(permutation_of(read_node("Transpose", 1)), IsEmpty());
  EXPECT_EQ(axis_of(read_node("Concat", 2, {{"axis", std::int64_t{-1}}})), -1);
  EXPECT_EQ(axis_of(read_node("Softmax", 1)), std::nullopt) << "it depends on the version";
  EXPECT_EQ(axis_of(read_node("Flatten", 1)), 1);
  EXPECT_EQ(axis_of(read_node("Gather", 2)), 0);
  EXPECT_FALSE(role<roles::Reshaping>(read_node("Reshape", 2, {{"allowzero", std::int64_t{1}}}))
                   ->copies_zeros);
  const auto reduction = [](const std::map<std::string, Attribute>& attributes) {
    return *role<roles::Reduction>(read_node("ReduceMean", 1, attributes));
  };
  EXPECT_EQ(reduction({}), roles::Reduction());
  EXPECT_FALSE(reduction({{"keepdims", std::int64_t{0}}}).keeps_axes);
  EXPECT_THAT(reduction({{"axes", Ints{1, -1}}}).axes, ElementsAre(1, -1));
  EXPECT_FALSE(reduction({{"noop_with_empty_axes", std::int64_t{1}}}).takes_all);
}

TEST(ReadRoles, PadsAndResizesSayWhereNewValuesComeFrom) {
  EXPECT_TRUE(role<roles::Padding>(read_node("Pad", 2))->is_constant);
  EXPECT_FALSE(
      role<roles::Padding>(read_node("Pad", 2, {{"mode", std::string("edge")}}))->is_constant);
  const auto linear = *role<roles::Resampling>(
      read_node("Resize", 3,
                {{"mode", std::string("linear")},
                 {"coordinate_transformation_mode", std::string("tf_crop_and_resize")}}));
  EXPECT_EQ(linear, (roles::Resampling{.is_nearest = false, .may_fill_in = true}));
  EXPECT_TRUE(role<roles::Resampling>(read_node("Resize", 3))->is_nearest);
}

TEST(ReadRoles, CodesHaveAnAxisAndPerhapsAType) {
  const roles::Coding plain = *role<roles::Coding>(read_node("QuantizeLinear", 2));
  EXPECT_EQ(plain, roles::Coding{});
  const roles::Coding coding = *role<roles::Coding>(read_node(
      "QuantizeLinear", 2, {{"axis", std::int64_t{0}}, {"output_dtype", std::int64_t{3}}}));
  EXPECT_EQ(coding, (roles::Coding{.axis = 0, .codes = DType::int8}));
}

TEST(ReadRoles, InputsThatAreNoDataAreKnownByWhatTheyAreFor) {
  const Node quantize = read_node("QuantizeLinear", 3);
  EXPECT_EQ(scale_of(quantize), "1");
  EXPECT_EQ(zero_point_of(quantize), "2");
  EXPECT_EQ(zero_point_of(read_node("DequantizeLinear", 2)), "") << "it is optional";
  const auto norm = role<roles::Normalization>(read_node("BatchNormalization", 5))->operands;
  EXPECT_EQ(norm, (roles::NormalizationOperands{.scale = 1, .shift = 2, .mean = 3, .variance = 4}));
  EXPECT_EQ(low_bound_of(read_node("Clip", 3)), "1");
  EXPECT_EQ(high_bound_of(read_node("Clip", 3)), "2");
  EXPECT_EQ(new_shape_of(read_node("Reshape", 2)), "1");
  EXPECT_EQ(repetition_of(read_node("Expand", 2)), "1");
  EXPECT_EQ(repetition_of(read_node("Tile", 2)), "1");
  EXPECT_EQ(part_extents_of(read_node("Split", 2)), "1");
  for (const char* type : {"Gather", "GatherElements"})
    EXPECT_EQ(indices_of(read_node(type, 2)), "1") << type;
  for (const char* type : {"Squeeze", "Unsqueeze", "ReduceSum"})
    EXPECT_EQ(axes_input_of(read_node(type, 2)), "1") << type;
  const Node pad = read_node("Pad", 3);
  EXPECT_EQ(pads_of(pad), "1");
  EXPECT_EQ(filling_of(pad), "2");
  const Node slice = read_node("Slice", 5);
  EXPECT_EQ(begins_of(slice), "1");
  EXPECT_EQ(ends_of(slice), "2");
  EXPECT_EQ(axes_input_of(slice), "3");
  EXPECT_EQ(steps_of(slice), "4");
  EXPECT_EQ(role<roles::Choice>(read_node("Where", 3))->operands,
            (roles::ChoiceOperands{.condition = 0, .chosen = 1, .other = 2}));
  EXPECT_EQ(role<roles::Recurrence>(read_node("GRU", 3))->operands,
            (roles::RecurrenceOperands{.weight = 1, .recurrent = 2}));
}

TEST(ReadRoles, TheCodesOfAMatrixInBlocksAreBehindTheData) {
  const Node matrix = read_node("MatMulNBits", 4, {}, "com.microsoft");
  EXPECT_EQ(role<roles::BlockMatrix>(matrix)->operands,
            (roles::BlockOperands{.codes = 1, .scales = 2, .zero_points = 3}));
  const Node table = read_node("GatherBlockQuantized", 3, {}, "com.microsoft");
  EXPECT_EQ(indices_of(table), "1");
}

TEST(ReadRoles, OpsWithoutAKindMayHaveSome) {
  EXPECT_NE(role<roles::Sum>(read_node("Sum", 3)), nullptr);
  EXPECT_NE(role<roles::RandomNumbers>(read_node("RandomNormalLike", 1)), nullptr);
  EXPECT_NE(role<roles::Activation>(read_node("Softplus", 1)), nullptr);
  EXPECT_NE(role<roles::UntoldProduct>(read_node("Attention", 3, {}, "com.microsoft")), nullptr);
  EXPECT_NE(role<roles::UntoldCodes>(read_node("QLinearReduceMean", 5, {}, "com.microsoft")),
            nullptr);
  const Node fused =
      read_node("FusedConv", 2, {{"activation", std::string("Relu")}}, "com.microsoft");
  EXPECT_TRUE(fuses_activation(fused));
  EXPECT_EQ(weight_of(fused), "1");
  EXPECT_TRUE(
      role<roles::Reorder>(read_node("ReorderInput", 1, {}, "com.microsoft.nchwc"))->into_blocks);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read_node("Sin", 1).roles));
}

TEST(ReadRoles, AConstantHoldsItsValueWhicheverAttributeHasIt) {
  const std::pair<std::string, Attribute> forms[] = {{"value", Tensor::scalar(1.0F)},
                                                     {"value_float", 1.0F},
                                                     {"value_int", std::int64_t{1}},
                                                     {"value_floats", std::vector<float>{1, 2}},
                                                     {"value_ints", Ints{1, 2, 3}}};
  std::vector<std::pair<DType, Shape>> found;
  for (const auto& [key, value] : forms) {
    const Node node = read_node("Constant", 0, {{key, value}});
    const Tensor& held = role<roles::ConstantValue>(node)->value;
    found.emplace_back(held.dtype(), held.shape());
  }
  EXPECT_THAT(found,
              ElementsAre(std::pair(DType::float32, Shape()), std::pair(DType::float32, Shape()),
                          std::pair(DType::int64, Shape()), std::pair(DType::float32, Shape{2}),
                          std::pair(DType::int64, Shape{3})));
}

TEST(Vocabulary, GrowsWithTheVersionOfTheOperators) {
  const auto of_opset = [](std::int64_t opset) {
    Graph graph;
    graph.inputs = {{.name = "x", .dtype = DType::float32, .shape = {}}};
    graph.outputs = {{.name = "x", .dtype = DType::float32, .shape = {}}};
    return model_of(graph, {{"", opset}}).vocabulary;
  };
  EXPECT_FALSE(of_opset(9).codes);
  EXPECT_TRUE(of_opset(10).codes && !of_opset(10).dynamic_codes);
  EXPECT_TRUE(of_opset(12).dynamic_codes && !of_opset(12).channel_scales && !of_opset(12).half);
  EXPECT_TRUE(of_opset(13).channel_scales && of_opset(13).half);
  EXPECT_EQ(of_opset(12).version, "opset 12");
  EXPECT_EQ(of_opset(12).whole, "opset 13");
}

}  // namespace
}  // namespace quantlens::onnx
