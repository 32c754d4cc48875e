// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/alike.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/view/duplicates.h"
#include "quantlens/diagnosis/view/layouts.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

TEST(Alike, AreOpsThatAreWrittenForEachOther) {
  SmallGraph net;
  net.input("x");
  const std::vector<Kind> kinds = {Kind::relu,    Kind::clip,    Kind::gemm, Kind::matmul,
                                   Kind::flatten, Kind::squeeze, Kind::other};
  for (const Kind kind : kinds) net.node(kind, {"x"}, "y" + std::to_string(static_cast<int>(kind)));
  Model model = net.model();
  model.graph.nodes.back().type = "Strange";
  const GraphIndex index(model.graph), other_index(net.graph());
  const FloatView view(index), other(other_index);
  const auto are = [&](std::size_t a, std::size_t b) {
    return alike(view, view.ops()[a], other, other.ops()[b]);
  };
  EXPECT_TRUE(are(0, 1) && are(2, 3) && are(4, 5));
  EXPECT_FALSE(are(0, 2) || are(3, 4));
  EXPECT_FALSE(are(6, 6)) << "nobody knows what either does";
}

TEST(AbsorbedChain, EndsWhereAnotherReaderWantsTheValue) {
  SmallGraph net;
  net.input("x").weight("w", {2, 1, 1, 1}, {1, 2}).weight("p", {2}, {1, 1});
  net.node(Kind::conv, {"x", "w"}, "c").node(Kind::batch_norm, {"c", "p", "p", "p", "p"}, "n");
  net.node(Kind::relu, {"n"}, "r").node(Kind::softmax, {"r"}, "y").output("y");
  const GraphIndex index(net.graph());
  const FloatView view(index);
  const auto chain = [](const FloatView& of) {
    std::vector<std::string> names;
    for (const std::size_t value : absorbed_chain(of, *of.value_of("c")))
      names.push_back(of.values()[value].floats[0]);
    return names;
  };
  EXPECT_THAT(chain(view), testing::ElementsAre("c", "n", "r"));
  net.node(Kind::sigmoid, {"n"}, "z").output("z");
  const GraphIndex again(net.graph());
  EXPECT_THAT(chain(FloatView(again)), testing::ElementsAre("c", "n"));
}

TEST(Layouts, ForgetPermutationsThatUndoEachOther) {
  SmallGraph net;
  net.input("x").constant("shape", Tensor::from<std::int64_t>({2}, {-1, 8}));
  net.node(Kind::transpose, {"x"}, "a").set(&roles::Permutation::order, {0, 2, 3, 1});
  net.node(Kind::identity, {"a"}, "b");
  net.node(Kind::transpose, {"b"}, "c").set(&roles::Permutation::order, {0, 3, 1, 2});
  net.node(Kind::transpose, {"b"}, "d").set(&roles::Permutation::order, {0, 2, 3, 1});
  net.node(Kind::reshape, {"d", "shape"}, "e").node(Kind::relu, {"e"}, "f");
  const GraphIndex index(net.graph());
  const FloatView view(index);
  Layouts layouts;
  const std::vector<std::size_t> all = layouts.of(view);
  const auto of = [&](const char* tensor) { return all[*view.value_of(tensor)]; };
  EXPECT_EQ(of("x"), of("c"));
  EXPECT_EQ(of("a"), of("b"));
  EXPECT_NE(of("a"), of("x"));
  EXPECT_NE(of("d"), of("x"));
  EXPECT_NE(of("e"), of("d"));
  EXPECT_EQ(of("f"), of("x")) << "what is computed is its own root";
  EXPECT_EQ(layouts.of(view), all) << "one object numbers alike";
}

TEST(FirstEquals, FindsWhatIsComputedTwice) {
  SmallGraph net;
  net.input("x").weight("p", {2}, {1, 2}).weight("q", {2}, {1, 2}).weight("r", {2}, {1, 3});
  net.node(Kind::mul, {"x", "p"}, "a").node(Kind::mul, {"x", "q"}, "b");
  net.node(Kind::mul, {"x", "r"}, "c").node(Kind::relu, {"a"}, "d").node(Kind::relu, {"b"}, "e");
  net.node(Kind::softmax, {"d"}, "f").attribute("axis", std::int64_t{1});
  net.node(Kind::softmax, {"e"}, "g").attribute("axis", std::int64_t{2});
  const GraphIndex index(net.graph());
  const FloatView view(index);
  const std::vector<std::size_t> first = first_equals(view);
  const auto of = [&](const char* tensor) { return first[*view.value_of(tensor)]; };
  EXPECT_EQ(of("b"), of("a")) << "constants of equal contents";
  EXPECT_EQ(of("e"), of("d")) << "and all that follows";
  EXPECT_NE(of("c"), of("a"));
  EXPECT_NE(of("g"), of("f")) << "another axis";
}

}  // namespace
}  // namespace quantlens
