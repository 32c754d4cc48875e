// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/compare_nodes.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

Node with(std::map<std::string, Attribute> attributes) {
  Node node;
  node.type = "Op";
  node.attributes = std::move(attributes);
  return node;
}

TEST(CompareNodes, AnOperatorIsItsTypeAndItsSet) {
  const Node a = with({});
  Node b = a;
  EXPECT_TRUE(is_same_operator(a, b));
  b.domain = "other";
  EXPECT_TRUE(have_same_type(a, b));
  EXPECT_FALSE(are_of_one_set(a, b) || is_same_operator(a, b));
  EXPECT_TRUE(is_of_own_set(a));
  EXPECT_FALSE(is_of_own_set(b));
}

TEST(CompareNodes, AttributesAreTheSameWhereAllAre) {
  const Node a = with({{"axis", std::int64_t{1}}, {"mode", std::string("x")}});
  EXPECT_TRUE(have_same_attributes(a, a));
  EXPECT_FALSE(have_same_attributes(a, with({{"axis", std::int64_t{1}}})));
  EXPECT_FALSE(have_same_attributes(with({{"k", 1.0F}}), with({{"k", std::int64_t{1}}})));
  const Node tensor = with({{"value", Tensor::scalar(1.0F)}});
  EXPECT_FALSE(have_same_attributes(tensor, tensor)) << "their elements are not compared";
}

TEST(CompareNodes, AnAttributeIsAnotherOneOnlyWhereThatIsSure) {
  const Node a = with({{"axis", std::int64_t{1}}, {"auto_pad", std::string("VALID")}});
  EXPECT_EQ(count_different_attributes(a, with({})), 0U);
  EXPECT_EQ(count_different_attributes(a, with({{"axis", std::int64_t{-1}}})), 0U);
  EXPECT_EQ(count_different_attributes(a, with({{"auto_pad", std::string("SAME_UPPER")}})), 0U);
  EXPECT_EQ(count_different_attributes(a, with({{"axis", std::int64_t{2}}})), 1U);
}

}  // namespace
}  // namespace quantlens
