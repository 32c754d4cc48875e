// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/same_remedy.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/said.h"

namespace quantlens {
namespace {

/// Of a value of `op`, mended by `mended` in float.
FoundCause cause(const std::string& op, const std::string& mended, double share) {
  FoundCause found{
      .rule = "rounding", .op = op_ref(op), .value = op + "_out", .cause = {}, .estimated = {}};
  found.cause.reasons = {{.says = "too_few_bits", .figures = {}}};
  found.cause.ops = {op_ref(mended)};
  found.cause.remedy = in_float({op_ref(mended)});
  found.share = share;
  found.interval = {share - 0.1, share + 0.1};
  found.without = {share, share};
  return found;
}

TEST(SameRemedy, CausesThatOneRemedyMendsAreOne) {
  std::vector<FoundCause> found = {cause("mm", "mm", 0.2), cause("other", "other", 0.1),
                                   cause("if", "mm", 0.5)};
  join_same_remedies(found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].op, op_ref("if")) << "the greater estimate leads";
  EXPECT_EQ(said(found[0].cause.reasons), R"(too_few_bits() and_also(op: "mm") too_few_bits())");
  EXPECT_DOUBLE_EQ(found[0].share, 0.7);
  EXPECT_DOUBLE_EQ(found[0].interval[1], 0.9);
  EXPECT_EQ(found[0].without, (std::vector<double>{0.7, 0.7}));
  EXPECT_EQ(found[1].op, op_ref("other"));
}

TEST(SameRemedy, AMistakeLeads) {
  std::vector<FoundCause> found = {cause("if", "mm", 0.5), cause("mm", "mm", 0.1)};
  found[1].is_mistake = true;
  found[1].rule = "unexplained";
  join_same_remedies(found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, "unexplained");
  EXPECT_TRUE(found[0].is_mistake);
}

TEST(SameRemedy, CausesWithRemediesOfTheirOwnStayApart) {
  std::vector<FoundCause> found = {cause("a", "mm", 0.5), cause("b", "mm", 0.1),
                                   cause("c", "mm", 0.1)};
  found[1].cause.remedy = for_ops({op_ref("b")}, {{"activation", {{"algorithm", "minmax"}}}});
  found[2].cause.measured = op_refs({"mm", "reader"});
  join_same_remedies(found);
  EXPECT_EQ(found.size(), 3U);
}

TEST(SameRemedy, CausesWithoutOneStayApart) {
  std::vector<FoundCause> found = {cause("a", "mm", 0.5), cause("b", "mm", 0.1)};
  for (FoundCause& one : found) one.cause.remedy.clear();
  join_same_remedies(found);
  EXPECT_EQ(found.size(), 2U);
}

}  // namespace
}  // namespace quantlens
