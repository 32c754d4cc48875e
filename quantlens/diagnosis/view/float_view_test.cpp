// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/float_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

TEST(FloatView, JoinsAValueWithItsCodesAndWhatIsReadOfThem) {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F}).weight("t", {}, {0.25F});
  net.constant("z", Tensor::from<std::uint8_t>({}, {3}));
  net.node(Kind::quantize, {"x", "s", "z"}, "q1").node(Kind::dequantize, {"q1", "s", "z"}, "d1");
  net.node(Kind::quantize, {"d1", "t", "z"}, "q2").node(Kind::dequantize, {"q2", "t", "z"}, "d2");
  net.node(Kind::relu, {"d2"}, "y").output("d1").output("y");
  const GraphIndex index(net.graph());
  const FloatView view(index);
  ASSERT_EQ(view.values().size(), 2U);
  const FloatView::Value& x = view.values()[*view.value_of("x")];
  for (const char* tensor : {"q1", "d1", "q2", "d2"})
    EXPECT_EQ(view.value_of(tensor), view.value_of("x")) << tensor;
  EXPECT_THAT(x.floats, ElementsAre("x", "d1", "d2"));
  ASSERT_EQ(x.sides.size(), 2U) << "a value may have several";
  EXPECT_EQ(x.sides[1].codes->params[0], (QParams{0.25F, 3}));
  EXPECT_TRUE(x.is_input && x.is_output);
  EXPECT_EQ(x.readers.size(), 1U);
}

TEST(FloatView, ReadsOpsOnCodesWithTheScalesThatTheyDeclare) {
  SmallGraph net;
  net.input("x");
  for (const char* scale : {"xs", "ws", "ys"}) net.weight(scale, {}, {0.5F});
  net.weight("ws", {2}, {0.1F, 0.2F});
  net.constant("z", Tensor::from<std::uint8_t>({}, {9}));
  net.constant("w", Tensor::from<std::int8_t>({2, 1, 1, 1}, {1, 2}));
  net.constant("wz", Tensor::from<std::int8_t>({}, {0}));
  net.node(Kind::quantize, {"x", "xs", "z"}, "q");
  net.node(Kind::qconv, {"q", "xs", "z", "w", "ws", "wz", "ys", "z"}, "c");
  net.node(Kind::max_pool, {"c"}, "m").node(Kind::qsigmoid, {"m", "ys", "z", "xs", ""}, "g");
  net.node(Kind::dequantize, {"g", "xs"}, "y").output("y");
  const GraphIndex index(net.graph());
  const FloatView view(index);
  ASSERT_EQ(view.ops().size(), 3U);
  EXPECT_EQ(view.ops()[0].kind, Kind::conv);
  const FloatView::Constant& weight = view.constants()[*view.ops()[0].operands[1].constant];
  EXPECT_EQ(weight.codes->scheme.axis, 0);
  EXPECT_EQ(weight.codes->params.size(), 2U);
  const auto side = [&](const char* tensor) {
    return view.values()[*view.value_of(tensor)].sides.at(0);
  };
  EXPECT_EQ(side("c").side, Side::integer_output);
  EXPECT_EQ(side("c").codes->params[0], (QParams{0.5F, 9}));
  EXPECT_EQ(side("m").codes->params[0], (QParams{0.5F, 9})) << "MaxPool carries them along";
  EXPECT_EQ(side("g").codes->scheme.dtype, DType::uint8) << "as what it reads";
  EXPECT_THAT(view.values()[*view.value_of("g")].floats, ElementsAre("y"));
}

TEST(FloatView, TakesSumsTimesTheirScaleForTheValue) {
  SmallGraph net;
  net.input("x").weight("ws", {2}, {0.1F, 0.2F});
  net.constant("w", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6}));
  net.node(Kind::dynamic_quantize, {"x"}, "q");
  Model model = net.model();
  model.graph.nodes.back().outputs = {"q", "s", "z"};
  const auto add = [&](Kind kind, std::vector<std::string> inputs, const std::string& output) {
    SmallGraph one;
    one.node(kind, std::move(inputs), output);
    model.graph.nodes.push_back(one.graph().nodes[0]);
  };
  add(Kind::mul, {"s", "ws"}, "scale");
  add(Kind::matmul_integer, {"q", "w", "z"}, "sums");
  add(Kind::cast, {"sums"}, "cast");
  model.graph.nodes.back().roles = roles::Conversion{.to = DType::float32};
  add(Kind::mul, {"cast", "scale"}, "y");
  add(Kind::relu, {"y"}, "r");
  const GraphIndex index(model.graph);
  const FloatView view(index);
  ASSERT_EQ(view.ops().size(), 2U) << "a MatMul and a Relu";
  EXPECT_EQ(view.ops()[0].kind, Kind::matmul);
  EXPECT_EQ(view.value_of("sums"), view.value_of("y"));
  EXPECT_THAT(view.values()[*view.value_of("y")].floats, ElementsAre("y"));
  const FloatView::Constant& weight = view.constants()[*view.ops()[0].operands[1].constant];
  ASSERT_TRUE(weight.codes);
  EXPECT_EQ(weight.codes->params[1].scale, 0.2F);
  EXPECT_EQ(weight.codes->scheme.axis, 1);
  const CodeSide& side = view.values()[*view.value_of("x")].sides.at(0);
  EXPECT_FALSE(side.codes);
  EXPECT_THAT(side.obstacle, testing::HasSubstr("anew for each input"));
}

TEST(FloatView, SeesConstantsThroughWhatIsDoneToThem) {
  SmallGraph net;
  net.input("x").weight("s", {}, {0.5F}).weight("f", {2, 3}, {1, 2, 3, 4, 5, 6});
  net.constant("z", Tensor::from<std::int8_t>({}, {0}));
  net.node(Kind::quantize, {"f", "s", "z"}, "fq").node(Kind::dequantize, {"fq", "s", "z"}, "fd");
  net.node(Kind::transpose, {"fd"}, "ft").node(Kind::matmul, {"x", "ft"}, "y").output("y");
  const GraphIndex index(net.graph());
  const FloatView view(index);
  ASSERT_EQ(view.ops().size(), 1U);
  const FloatView::Constant& weight = view.constants()[*view.ops()[0].operands[1].constant];
  EXPECT_TRUE(weight.transposed);
  EXPECT_TRUE(weight.is_computed) << "the file has the floats, not the codes";
  EXPECT_EQ(weight.name, "fq");
}

TEST(FloatView, EndsNotAtWhatNoOpShouldLookLike) {
  SmallGraph net;
  net.input("x").node(Kind::qconv, {"x"}, "a").node(Kind::qconcat, {"a"}, "b");
  net.node(Kind::dequantize, {"b"}, "c").node(Kind::qgemm, {"c", "", ""}, "d");
  net.node(Kind::quantize, {}, "e").node(Kind::mul, {"x"}, "f").node(Kind::cast, {}, "g");
  net.node(Kind::matmul_integer_to_float, {"a", "b"}, "h")
      .node(Kind::dynamic_quantize_matmul, {"a", "", ""}, "i")
      .node(Kind::clip, {}, "j");
  Model model = net.model();
  std::vector<Node> silent = model.graph.nodes;  // the same without outputs
  for (Node& node : silent) node.outputs = {};
  model.graph.nodes.insert(model.graph.nodes.end(), silent.begin(), silent.end());
  const GraphIndex index(model.graph);
  const FloatView view(index);
  EXPECT_TRUE(view.value_of("d"));
  EXPECT_TRUE(view.value_of("i"));
  EXPECT_EQ(integer_op(model.graph.nodes[0]), std::nullopt) << "it has no weight";
}

}  // namespace
}  // namespace quantlens
