// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/integer_ops.h"

#include <gmock/gmock.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

Node node_of(Kind kind, std::size_t inputs, Roles roles = {}) {
  Node node;
  node.kind = kind;
  node.inputs.resize(inputs, "x");
  node.roles = std::move(roles);
  return node;
}

/// The tensors that stand for what the op on floats reads.
std::vector<std::size_t> tensors(const Node& node) {
  std::vector<std::size_t> numbers;
  const std::optional<IntegerOp> op = integer_op(node);
  for (std::size_t i = 0; op && i < op->operands.size(); ++i)
    numbers.push_back(op->operands[i].tensor);
  return numbers;
}

TEST(IntegerOp, ReadsItsOperandsInTheOrderOfTheOpOnFloats) {
  using testing::ElementsAre;
  EXPECT_THAT(tensors(node_of(Kind::qconv, 9)), ElementsAre(0, 3, 8));
  EXPECT_THAT(tensors(node_of(Kind::qconv, 8)), ElementsAre(0, 3)) << "it has no bias";
  EXPECT_THAT(tensors(node_of(Kind::qgemm, 9)), ElementsAre(0, 3, 6));
  EXPECT_THAT(tensors(node_of(Kind::qconcat, 8)), ElementsAre(2, 5));
  EXPECT_THAT(tensors(node_of(Kind::qwhere, 9)), ElementsAre(0, 1, 4));
  EXPECT_THAT(tensors(node_of(Kind::matmul_integer_to_float, 7)), ElementsAre(0, 1, 6));
  EXPECT_FALSE(integer_op(node_of(Kind::qconv, 2))) << "its inputs are too few";
  EXPECT_FALSE(integer_op(node_of(Kind::conv, 9)));
}

TEST(IntegerOp, GivesCodesWhereItsResultHasAScale) {
  EXPECT_EQ(integer_op(node_of(Kind::qconv, 9))->output->zero_point, 7U);
  EXPECT_EQ(integer_op(node_of(Kind::qgemm, 9))->output->zero_point, 8U);
  EXPECT_FALSE(integer_op(node_of(Kind::qgemm, 7))->output) << "it gives floats";
  EXPECT_FALSE(integer_op(node_of(Kind::matmul_integer, 4))->output);
}

TEST(IntegerOp, ReadsBlocksAndCellsWhereTheirRolesSay) {
  using testing::ElementsAre;
  EXPECT_THAT(tensors(node_of(Kind::matmul_blocks, 4)), ElementsAre(0, 1));
  const Node matrix = node_of(Kind::matmul_blocks, 4, roles::BlockMatrix{.operands = {.codes = 3}});
  EXPECT_THAT(tensors(matrix), ElementsAre(0, 3));
  const Node table =
      node_of(Kind::gather_blocks, 4, roles::BlockMatrix{.operands = {.indices = 2}});
  EXPECT_THAT(tensors(table), ElementsAre(0, 2));
  const Node cell =
      node_of(Kind::recurrent, 12,
              roles::Recurrence{.has_codes = true, .operands = {.weight = 2, .recurrent = 1}});
  EXPECT_THAT(tensors(cell), ElementsAre(0, 2, 1, 3, 4, 5, 6, 7));
  EXPECT_FALSE(integer_op(node_of(Kind::recurrent, 12))) << "its weights are floats";
}

TEST(IsReadAsCodes, WhereCodesAloneAreMadeOfAValue) {
  SmallGraph net;
  net.input("x").weight("s", {}, {1});
  net.node(Kind::relu, {"x"}, "a").node(Kind::quantize, {"a", "s"}, "a_q");
  net.node(Kind::relu, {"x"}, "b").node(Kind::quantize, {"b", "s"}, "b_q");
  net.node(Kind::relu, {"x"}, "c").node(Kind::quantize, {"c", "s"}, "c_q");
  net.node(Kind::relu, {"c"}, "d").output("b").output("a_q");
  const GraphIndex index(net.graph());
  EXPECT_TRUE(is_read_as_codes(index, "a"));
  EXPECT_FALSE(is_read_as_codes(index, "b")) << "the graph gives it, too";
  EXPECT_FALSE(is_read_as_codes(index, "c")) << "another op reads it, too";
  EXPECT_FALSE(is_read_as_codes(index, "d")) << "nobody reads it";
}

}  // namespace
}  // namespace quantlens
