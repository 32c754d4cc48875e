// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/found_cause.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/said.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FoundCause cause(const std::string& op, double share) {
  FoundCause found{.rule = "rounding", .op = op_ref(op), .cause = {}, .estimated = {}};
  found.cause.ops = {op_ref(op)};
  found.share = share;
  found.without = std::vector<double>(8, share);
  for (std::size_t i = 0; i < 8; ++i) found.without[i] += i % 2 == 0 ? 0.001 : -0.001;
  return found;
}

/// Knows the gains of some ops, the same in all samples.
MeasureShare knows(const std::map<std::string, double>& gains, std::vector<std::string>& asked) {
  return [gains, &asked](const std::vector<OpRef>& ops) -> std::optional<Gain> {
    asked.push_back(ops.front().name);
    const auto found = gains.find(ops.front().name);
    if (found == gains.end()) return std::nullopt;
    const double gain = found->second;
    return Gain{.share = gain,
                .interval = {gain - 0.01, gain + 0.01},
                .without = std::vector<double>(8, gain)};
  };
}

std::vector<std::string> names(const std::vector<FoundCause>& found) {
  std::vector<std::string> all;
  for (const FoundCause& one : found) all.push_back(one.op.name);
  return all;
}

TEST(SettleShares, WhatWasMeasuredOverrulesTheEstimate) {
  std::vector<FoundCause> found = {cause("a", 0.5), cause("b", 0.3), cause("c", 0.1)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.02}, {"b", 0.6}, {"c", 0.1}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("b", "c", "a"));
  EXPECT_DOUBLE_EQ(found[0].share, 0.6);
  EXPECT_DOUBLE_EQ(*found[0].estimated, 0.3);
  EXPECT_NEAR(found[0].interval[0], 0.6 - std::hypot(0.01, 0.06), 1e-9) << "a tenth is drawn anew";
}

TEST(SettleShares, NextToNothingComesBehindAMistakeThatCannotBeMeasured) {
  FoundCause mistake = cause("b", 0.9);
  mistake.is_mistake = true;
  mistake.own_error = 0.1;
  std::vector<FoundCause> found = {cause("a", 0.02), mistake};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.02}}, asked), 0, {}, found);
  EXPECT_GT(found[1].interval[0], 0) << "it is sure, and small";
  EXPECT_THAT(names(found), ElementsAre("b", "a"));
}

TEST(SettleShares, WhatIsExpectedIsAskedNextWhateverTheAnswersAre) {
  std::minstd_rand random(7);
  const auto below = [&random](unsigned end) { return static_cast<unsigned>(random()) % end; };
  std::size_t expected = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<FoundCause> found;
    std::map<std::string, double> gains;
    for (unsigned n = 1 + below(8); n > 0; --n) {
      const std::string op = fmt::format("op{}", n);
      found.push_back(cause(op, 0.001 * below(400)));
      found.back().is_mistake = below(3) == 0;
      found.back().is_loud = below(4) == 0;
      found.back().own_error = 0.01 * below(100);
      if (below(5) != 0) gains[op] = 0.01 * (static_cast<int>(below(80)) - 20);
    }
    std::vector<std::string> asked;
    std::map<std::size_t, std::string> next;  // by how many were asked before
    settle_shares(
        knows(gains, asked), 0, {}, found, [&](const std::vector<std::vector<OpRef>>& ops) {
          for (std::size_t k = 0; k < ops.size(); ++k) {
            const auto [known, is_new] = next.emplace(asked.size() + k, ops[k].front().name);
            EXPECT_EQ(known->second, ops[k].front().name);
          }
        });
    for (const auto& [at, op] : next) {
      ASSERT_LT(at, asked.size());
      EXPECT_EQ(asked[at], op);
    }
    expected += next.size();
  }
  EXPECT_GT(expected, 1000U);
}

TEST(SettleShares, ErrorsThatHideEachOtherWidenWhatIsThePriceOf8Bits) {
  std::vector<FoundCause> found = {cause("a", 0.5), cause("b", 0.3), cause("c", 0.1)};
  found[1].is_mistake = true;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.9}, {"b", 0.5}, {"c", -0.6}}, asked), 0, {}, found);
  ASSERT_THAT(names(found), ElementsAre("b", "a", "c"));  // mistakes count for more
  EXPECT_DOUBLE_EQ(found[0].interval[0], 0.49);
  EXPECT_NEAR(found[1].interval[0], 0.9 - std::hypot(0.01, 0.6, 0.09), 1e-9);
  EXPECT_DOUBLE_EQ(found[1].interval[1], 1);
  EXPECT_DOUBLE_EQ(found[2].interval[1], -0.59);
}

TEST(SettleShares, OpsThatShowWhatCodesDoAreMeasuredInPlaceOfTheRemedys) {
  std::vector<FoundCause> found = {cause("a", 0.5)};
  found[0].cause.measured = {op_ref("reader")};
  std::vector<std::string> asked;
  settle_shares(knows({{"reader", 0.7}}, asked), 0, {}, found);
  EXPECT_THAT(asked, ElementsAre("reader"));
  EXPECT_DOUBLE_EQ(found[0].share, 0.7);
}

TEST(SettleShares, LoudOpsAreFindingsOnlyWhereTheyTakeSomethingAway) {
  std::vector<FoundCause> found = {cause("a", 0.8), cause("culprit", 0.01), cause("quiet", 0.01)};
  found[1].is_loud = found[2].is_loud = true;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.1}, {"culprit", 0.9}, {"quiet", 0}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("culprit", "a"));
}

TEST(SettleShares, LoudOpsThatCannotBeMeasuredAreNoFindings) {
  std::vector<FoundCause> found = {cause("a", 0.8), cause("loud", 0)};
  found[1].is_loud = true;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.7}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("a"));
}

TEST(SettleShares, WhatTakesNothingAwayDoesNotComeFirst) {
  std::vector<FoundCause> found = {cause("a", 0.5), cause("b", 0.3)};
  found[0].is_mistake = true;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", -0.2}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("b", "a"));
  EXPECT_DOUBLE_EQ(found[1].share, -0.2) << "errors of others that it made up for are back";
}

TEST(SettleShares, EstimatesAreAsWideAsOthersWereOff) {
  std::vector<FoundCause> found = {cause("a", 0.4), cause("b", 0.3), cause("c", 0.2),
                                   cause("d", 0.1)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.3}, {"b", 0.3}, {"c", 0.5}}, asked), 0, {}, found);
  EXPECT_EQ(asked.size(), 3U) << "the first three are known then";
  ASSERT_EQ(found.back().op, op_ref("d"));
  EXPECT_FALSE(found.back().estimated);
  EXPECT_LE(found.back().interval[0], 0.075) << "a had three quarters of its estimate";
  EXPECT_GE(found.back().interval[1], 0.25) << "c had two and a half times as much";
}

TEST(SettleShares, WhereOthersAddedErrorAnEstimateMayToo) {
  std::vector<FoundCause> found = {cause("a", 0.4), cause("b", 0.3), cause("c", 0.2)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", -0.2}, {"b", 0.3}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("b", "c", "a"));
  EXPECT_LE(found[1].interval[0], -0.1) << "a had minus half of its estimate";
}

/// Measures a share that the samples cannot tell from 0.
MeasureShare swings(double to_both_sides) {
  return [to_both_sides](const std::vector<OpRef>&) -> std::optional<Gain> {
    std::vector<double> without(8, 0.3);
    for (std::size_t i = 0; i < 8; ++i) without[i] += i % 2 == 0 ? 0.1 : -0.1;
    return Gain{.share = 0.3,
                .interval = {0.3 - to_both_sides, 0.3 + to_both_sides},
                .without = std::move(without)};
  };
}

TEST(SettleShares, WhereNoShareIsSurelyAboveNothingOwnErrorsDecide) {
  std::vector<FoundCause> found = {cause("a", 0.3), cause("b", 0.2), cause("c", 0.15),
                                   cause("d", 0.1)};
  found[0].own_error = 0.001;
  found[1].own_error = 0.01;
  found[2].own_error = 0.002;
  settle_shares(swings(0.6), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("b", "c", "a", "d"));
  EXPECT_LE(found.back().interval[0], 0) << "an estimate is no more certain than a measurement";
}

TEST(SettleShares, WhereNoShareIsSurelyAboveNothingNoCauseIsKnown) {
  std::vector<FoundCause> found = {cause("a", 0.3), cause("b", 0.2)};
  found[0].cause.reasons = {{.says = "clipped", .figures = {}}};
  found[0].own_error = 0.01;
  settle_shares(swings(0.6), 0, {}, found);
  EXPECT_EQ(found[0].op, op_ref("a"));
  EXPECT_EQ(found[0].rule, "unexplained");
  EXPECT_EQ(said(found[0].cause.reasons), "in_doubt(causes: 2, measured: 2) clipped()");
  EXPECT_EQ(found[1].rule, "rounding") << "only what stands first is taken for the cause";
}

TEST(SettleShares, WhatTheSameOpsMeasureIsMeasuredOnceAndSaysSo) {
  std::vector<FoundCause> found = {cause("a", 0.5), cause("b", 0.3), cause("c", 0.1)};
  found[0].cause.measured = op_refs({"mm", "add"});
  found[1].cause.measured = op_refs({"add", "mm"});
  found[1].is_mistake = true;
  std::vector<std::string> asked;
  settle_shares(knows({{"mm", 0.6}, {"add", 0.6}, {"c", 0.1}}, asked), 0, {}, found);
  EXPECT_EQ(asked.size(), 2U);
  for (const FoundCause& one : found) {
    if (one.op == op_ref("c")) continue;
    EXPECT_DOUBLE_EQ(one.share, 0.6) << one.op.name;
    const std::string other = one.op == op_ref("a") ? "b" : "a";
    EXPECT_EQ(said(one.cause.reasons), "share_includes(op: \"" + other + "\")");
  }
}

TEST(SettleShares, AnEstimateDoesNotStandFirstWhereItCanBeMeasured) {
  std::vector<FoundCause> found;
  std::map<std::string, double> gains;
  for (int i = 0; i < 6; ++i) {
    found.push_back(cause(fmt::format("op{}", i), 0.6 - 0.1 * i));
    gains[found.back().op.name] = i == 5 ? 0.2 : -0.2;
  }
  std::vector<std::string> asked;
  settle_shares(knows(gains, asked), 0, {}, found);
  EXPECT_EQ(found[0].op, op_ref("op5"));
  EXPECT_TRUE(found[0].estimated);
  EXPECT_EQ(asked.size(), 6U);
}

TEST(SettleShares, SharesThatChanceMayTurnAreTied) {
  std::vector<FoundCause> found = {cause("a", 0.5), cause("b", 0.4)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.5}, {"b", 0.45}}, asked), 0, {}, found);
  EXPECT_TRUE(found[1].tied_with_previous) << "a tenth of each is drawn anew";
  found = {cause("a", 0.5), cause("b", 0.4)};
  for (FoundCause& one : found) one.is_mistake = true;
  settle_shares(knows({{"a", 0.5}, {"b", 0.45}}, asked), 0, {}, found);
  EXPECT_FALSE(found[1].tied_with_previous) << "mistakes are mended whatever is drawn";
}

/// Ops that clip one behind the other: each alone gives nothing back, "a" and "b" together do.
TEST(SettleShares, MistakesThatHideEachOtherAreMeasuredTogether) {
  const MeasureShare measure = [](const std::vector<OpRef>& ops) {
    const double gain = ops.size() == 2 ? 0.9 : 0;
    return Gain{.share = gain,
                .interval = {gain - 0.01, gain + 0.01},
                .without = std::vector<double>(8, gain)};
  };
  for (const bool are_mistakes : {true, false}) {
    std::vector<FoundCause> found = {cause("b", 0.9), cause("c", 0.05)};
    found[0].rule = "clipped_range";
    const Together both = [&]() -> std::optional<FoundCause> {
      if (!are_mistakes) return std::nullopt;
      FoundCause all = cause("a", 0.95);
      all.rule = "clipped_range";
      all.cause.ops = op_refs({"a", "b"});
      all.cause.reasons = {{.says = "clipped", .figures = {}}};
      return all;
    };
    settle_shares(measure, 0, both, found);
    if (!are_mistakes) {
      EXPECT_EQ(found[0].rule, "unexplained");
      continue;
    }
    EXPECT_THAT(names(found), ElementsAre("a", "c")) << "b is part of it";
    EXPECT_EQ(found[0].rule, "clipped_range");
    EXPECT_DOUBLE_EQ(found[0].share, 0.9);
    EXPECT_EQ(said(found[0].cause.reasons), R"(made_together(alone: "nothing", ops: 2) clipped())");
    EXPECT_FALSE(found[1].tied_with_previous);
  }
}

/// Clipped one behind the other, the last gives a little back alone.
TEST(SettleShares, MistakesThatGiveMuchMoreTogetherStandFirst) {
  const auto settled = [](double alone, double together) {
    const MeasureShare measure = [=](const std::vector<OpRef>& ops) {
      const double gain = ops.size() == 2 ? together : alone;
      return Gain{.share = gain,
                  .interval = {gain - 0.01, gain + 0.01},
                  .without = std::vector<double>(8, gain)};
    };
    std::vector<FoundCause> found = {cause("b", 0.9)};
    found[0].rule = "clipped_range";
    const Together both = [] {
      FoundCause all = cause("a", 0.95);
      all.rule = "clipped_range";
      all.cause.ops = op_refs({"a", "b"});
      return std::optional(all);
    };
    settle_shares(measure, 0, both, found);
    return names(found).front();
  };
  EXPECT_EQ(settled(0.1, 0.9), "a");
  EXPECT_EQ(settled(0.1, 0.1), "b") << "no more than alone";
  EXPECT_EQ(settled(0.7, 0.9), "b") << "much by itself: nothing hides it";
}

TEST(SettleShares, ARemedyThatMendsAPartOfItTellsThatPart) {
  std::vector<FoundCause> found = {cause("a", 0.9)};
  found[0].cause.least_mended = 0.5;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.8}}, asked), 0, {}, found);
  EXPECT_DOUBLE_EQ(found[0].share, 0.4);
  EXPECT_LE(found[0].interval[0], 0.4);
  EXPECT_GE(found[0].interval[1], 0.8) << "at least a half: it may be all";
}

TEST(SettleShares, WhereEstimatesFailOneOfNearlyNothingIsAsFarOffAsTheOthers) {
  std::vector<FoundCause> found = {cause("a", 0.9), cause("b", 0.08), cause("c", 0.0001)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", -0.02}, {"b", -0.02}}, asked), 0, {}, found);
  const auto c = std::ranges::find(found, op_ref("c"), &FoundCause::op);
  EXPECT_FALSE(c->estimated);
  EXPECT_GE(c->interval[1], 0.9) << "a was expected to be so much, and is nothing";
}

TEST(SettleShares, WhatSurelyTakesNothingAwayIsNoCauseEvenIfItIsAlone) {
  std::vector<FoundCause> found = {cause("a", 0.9)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", -0.5}}, asked), 0, {}, found);
  EXPECT_EQ(found[0].rule, "unexplained");
  EXPECT_EQ(said(found[0].cause.reasons), "in_doubt.none_alone(causes: 1, measured: 1)");
}

TEST(SettleShares, ASureShareKeepsItsCause) {
  std::vector<FoundCause> found = {cause("a", 0.9), cause("b", 0.2)};
  std::vector<std::string> asked;
  settle_shares(knows({{"a", -0.05}, {"b", 0.1}}, asked), 0, {}, found);
  EXPECT_EQ(found[0].op, op_ref("b"));
  EXPECT_EQ(found[0].rule, "rounding");
}

TEST(SettleShares, WithoutAnyMeasurementCausesStayAsTheyWereEstimated) {
  std::vector<FoundCause> found = {cause("a", 0.9)};
  settle_shares({}, 0, {}, found);
  EXPECT_EQ(found[0].rule, "rounding");
}

TEST(SettleShares, WhereSharesAreSurelyAboveNothingTheyDecide) {
  std::vector<FoundCause> found = {cause("a", 0.3), cause("b", 0.2)};
  found[1].own_error = 0.01;
  std::vector<std::string> asked;
  settle_shares(knows({{"a", 0.4}, {"b", 0.1}}, asked), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("a", "b"));
}

TEST(SettleShares, AMistakeComesBeforeGreaterErrorsThatMayBeNothing) {
  std::vector<FoundCause> found = {cause("a", 0.3), cause("mistake", 0.2)};
  found[0].own_error = 0.01;
  found[1].own_error = 0.001;
  found[1].is_mistake = true;
  settle_shares(swings(0.6), 0, {}, found);
  EXPECT_THAT(names(found), ElementsAre("mistake", "a"));
}

TEST(SettleShares, WithoutAnAnswerAnEstimateMayBeNothing) {
  std::vector<FoundCause> found = {cause("a", 0.4)};
  std::vector<std::string> asked;
  settle_shares(knows({}, asked), 0, {}, found);
  EXPECT_FALSE(found[0].estimated);
  EXPECT_EQ(found[0].interval[0], 0);
}

TEST(SettleShares, WhatPassesUnknownValuesIsNotCountedAsCertain) {
  std::vector<FoundCause> found = {cause("a", 0.4)};
  settle_shares({}, 0.3, {}, found);
  EXPECT_LE(found[0].interval[0], 0.1);
  EXPECT_GE(found[0].interval[1], 0.4);
}

}  // namespace
}  // namespace quantlens
