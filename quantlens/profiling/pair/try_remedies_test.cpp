// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/try_remedies.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json_line.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/profiling/pair/speed_findings.h"

namespace quantlens {
namespace {

using Texts = std::vector<std::string>;

/// An op of the graph below in the quantized model.
OpTime time_row(const std::string& op, double reference, double kernel, double conversions = 0) {
  OpTime made;
  made.ops = {{op, "node_" + op}};
  made.type = "Conv";
  made.reference_us = reference;
  made.quantized_us = kernel;
  made.conversion_us = conversions;
  made.gain_us = reference - kernel - conversions;
  made.reference_nodes = {"Conv"};
  made.quantized_nodes = {"QLinearConv"};
  made.quantized = true;
  return made;
}

/// x -> a -> b -> c -> d: a and c have kernels that are slower than the float model's.
class Chain {
 public:
  Chain() {
    graph_.input("x");
    std::string before = "x";
    for (const char* name : {"a", "b", "c", "d"}) {
      graph_.node(Kind::conv, {before}, name);
      before = name;
    }
    pair_.ops = {time_row("a", 10, 40), time_row("b", 100, 50), time_row("c", 10, 40),
                 time_row("d", 100, 50)};
    pair_.quantized.emplace().wall.median_us = 1000;
    pair_.findings = speed_findings(pair_);
  }

  /// Gives the times one after the other; the last again and again.
  void answer(std::vector<RemedyTimes> times) { answers_ = std::move(times); }

  void refuse(Statement why) { refusal_ = std::move(why); }

  SpeedFinding tried(std::uint64_t count = 5) {
    try_remedies(
        graph_.graph(), count,
        [&](const json::Value& remedy) -> std::variant<RemedyTimes, NotTimed> {
          asked_.push_back(json::line(remedy));
          if (refusal_) return NotTimed{*refusal_};
          if (answers_.empty()) throw Error(Errc::unsupported, "another tool made the file");
          RemedyTimes times = answers_.at(std::min(asked_.size(), answers_.size()) - 1);
          times.before = pair_.ops;
          return times;
        },
        pair_);
    return pair_.findings.at(0);
  }
  const Texts& asked() const { return asked_; }
  ProfileRecord& pair() { return pair_; }

 private:
  SmallGraph graph_;
  ProfileRecord pair_;
  std::vector<RemedyTimes> answers_;
  std::optional<Statement> refusal_;
  Texts asked_;
};

constexpr const char* kBoth = R"({"op_name_dict":{"node_a":"fp32","node_c":"fp32"}})";
constexpr const char* kOne = R"({"op_name_dict":{"node_a":"fp32"}})";

/// "" where there is none.
std::string remedy_of(const SpeedFinding& finding) {
  return finding.remedy.is_null() ? "" : json::line(finding.remedy);
}

/// What it is said to take in float: the last of the reasons.
Statement outcome_of(const SpeedFinding& finding) {
  EXPECT_EQ(finding.reasons.back().says, "speed.tried");
  return finding.reasons.back();
}

TEST(TryRemedies, ARemedyThatIsMeasuredToGainIsTold) {
  Chain chain;
  chain.answer({{.ratio = {0.9, {0.88, 0.92}},
                 .before = {},
                 .after = {time_row("a", 10, 12), time_row("b", 100, 50, 3), time_row("c", 10, 12),
                           time_row("d", 100, 50, 1)}}});
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(chain.asked(), Texts({kBoth})) << "all of them gain: there is nothing to leave out";
  EXPECT_EQ(remedy_of(finding), kBoth);
  ASSERT_TRUE(finding.trial);
  EXPECT_EQ(finding.trial->ops, std::vector<OpRef>({{"a", "node_a"}, {"c", "node_c"}}));
  EXPECT_DOUBLE_EQ(finding.trial->gain_ms, 0.1);
  EXPECT_NEAR(finding.trial->gain_interval[0], 0.08, 1e-12);
  EXPECT_NEAR(finding.trial->gain_interval[1], 0.12, 1e-12);
  EXPECT_DOUBLE_EQ(finding.trial->before_us, 80);
  EXPECT_DOUBLE_EQ(finding.trial->in_float_us, 24);
  EXPECT_DOUBLE_EQ(finding.trial->around_us, 4);
  EXPECT_TRUE(finding.not_tried.empty());
  EXPECT_EQ(outcome_of(finding).figures,
            (std::map<std::string, Figure>{{"ratio", figure::number(0.9)},
                                           {"interval", figure::numbers({0.88, 0.92})},
                                           {"before", figure::microseconds(80)},
                                           {"in_float", figure::microseconds(24)},
                                           {"around", figure::microseconds(4)}}));
}

TEST(TryRemedies, WhatIsSlowerInThisPlaceIsNoRemedy) {
  Chain chain;
  chain.answer({{.ratio = {1.46, {1.44, 1.48}},
                 .before = {},
                 .after = {time_row("a", 10, 200), time_row("b", 100, 50, 30),
                           time_row("c", 10, 200), time_row("d", 100, 50, 30)}}});
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(chain.asked(), Texts({kBoth}));
  EXPECT_EQ(remedy_of(finding), "");
  ASSERT_TRUE(finding.trial);
  EXPECT_DOUBLE_EQ(finding.trial->in_float_us, 400);
  const Statement outcome = outcome_of(finding);
  EXPECT_EQ(outcome.figures.at("ratio"), figure::number(1.46));
  EXPECT_EQ(outcome.figures.at("in_float"), figure::microseconds(400));
  EXPECT_EQ(outcome.figures.at("before"), figure::microseconds(80));
}

TEST(TryRemedies, AGainWithinItsIntervalIsNone) {
  Chain chain;
  const std::vector<OpTime> after{time_row("a", 10, 12), time_row("b", 100, 50),
                                  time_row("c", 10, 12), time_row("d", 100, 50)};
  chain.answer({{.ratio = {0.95, {0.89, 1.01}}, .before = {}, .after = after}});
  EXPECT_EQ(remedy_of(chain.tried()), "");
  Chain once;  // below three rounds
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  once.answer({{.ratio = {0.5, {0, kInfinity}}, .before = {}, .after = after}});
  const SpeedFinding finding = once.tried();
  EXPECT_EQ(remedy_of(finding), "");
  EXPECT_EQ(outcome_of(finding).figures.at("interval"), figure::numbers({0, kInfinity}));
}

TEST(TryRemedies, IsTriedAgainWithoutThoseThatLose) {
  Chain chain;
  chain.answer({{.ratio = {1.1, {1.09, 1.11}},
                 .before = {},
                 .after = {time_row("a", 10, 12), time_row("b", 100, 50), time_row("c", 10, 30),
                           time_row("d", 100, 50, 140)}},
                {.ratio = {0.97, {0.96, 0.98}},
                 .before = {},
                 .after = {time_row("a", 10, 12), time_row("b", 100, 50), time_row("c", 10, 40),
                           time_row("d", 100, 50)}}});
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(chain.asked(), Texts({kBoth, kOne})) << "c loses by what d pays for it";
  EXPECT_EQ(remedy_of(finding), kOne);
  EXPECT_EQ(finding.trial->ops, std::vector<OpRef>({{"a", "node_a"}}));
  EXPECT_EQ(outcome_of(finding).figures.at("ops"), figure::count(1));
  EXPECT_EQ(outcome_of(finding).figures.at("of"), figure::count(2));
}

TEST(TryRemedies, TheFirstTrialIsKeptWhereTheSecondIsWorse) {
  Chain chain;
  chain.answer({{.ratio = {0.9, {0.89, 0.91}},
                 .before = {},
                 .after = {time_row("a", 10, 12), time_row("b", 100, 50), time_row("c", 10, 45),
                           time_row("d", 100, 50)}},
                {.ratio = {0.95, {0.94, 0.96}},
                 .before = {},
                 .after = {time_row("a", 10, 12), time_row("b", 100, 50), time_row("c", 10, 40),
                           time_row("d", 100, 50)}}});
  EXPECT_EQ(remedy_of(chain.tried()), kBoth);
}

TEST(TryRemedies, WhatCannotBeTimedHasNoRemedyAndSaysWhy) {
  Chain chain;
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(remedy_of(finding), "");
  EXPECT_FALSE(finding.trial);
  EXPECT_EQ(finding.not_tried, Statements{said_in_words("another tool made the file")});
  const Statements& reasons = finding.reasons;
  ASSERT_EQ(reasons.size(), 5U);
  EXPECT_EQ(reasons[2].says, "speed.not_measured");
  EXPECT_EQ(reasons[3], finding.not_tried[0]);
  EXPECT_EQ(reasons[4].says, "speed.float_neighbours");
}

TEST(TryRemedies, WhatIsNotTimedSaysWhyAsItWasTold) {
  Chain chain;
  chain.refuse({"speed.not_tried.no_recipe", {}});
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(chain.asked().size(), 1U);
  EXPECT_FALSE(finding.trial);
  EXPECT_EQ(finding.not_tried, Statements({{"speed.not_tried.no_recipe", {}}}));
  EXPECT_EQ(finding.reasons.at(3), finding.not_tried[0]);
}

TEST(TryRemedies, OnlyAsManyFindingsAsWanted) {
  Chain chain;
  chain.answer({{.ratio = {0.9, {0.88, 0.92}}, .before = {}, .after = {}}});
  const SpeedFinding finding = chain.tried(0);
  EXPECT_TRUE(chain.asked().empty());
  EXPECT_EQ(remedy_of(finding), "");
  EXPECT_EQ(finding.not_tried,
            Statements({{"speed.not_tried.beyond", {{"findings", figure::count(0)}}}}));
}

TEST(TryRemedies, WhatIsInFloatAlreadyIsNotTried) {
  Chain chain;
  for (OpTime& op : chain.pair().ops) {
    op.quantized = false;
    op.conversion_us += 100;
    op.gain_us -= 100;
  }
  chain.pair().findings = speed_findings(chain.pair());
  const SpeedFinding finding = chain.tried();
  EXPECT_EQ(finding.rule, SpeedRule::float_island);
  EXPECT_EQ(finding.not_tried, Statements({{"speed.not_tried.in_float", {}}}));
  EXPECT_EQ(finding.reasons.back().says, "speed.times") << "nothing is said of a trial";
  EXPECT_TRUE(chain.asked().empty());
}

TEST(TryRemedies, APoolIsInFloatWithWhatReadsIt) {
  Chain chain;
  chain.pair().ops[2] = time_row("c", 50, 40);
  chain.pair().ops[0].passed_to = {{"b", "node_b"}};
  chain.pair().findings = speed_findings(chain.pair());
  chain.tried();
  EXPECT_EQ(chain.asked(), Texts({R"({"op_name_dict":{"node_a":"fp32","node_b":"fp32"}})"}));
  EXPECT_EQ(chain.pair().findings[0].ops, std::vector<OpRef>({{"a", "node_a"}}));
}

TEST(TryRemedies, NamesAreGivenAsPatterns) {
  Chain chain;
  chain.pair().ops[0].ops = {{"a", "block[0]"}};
  chain.pair().ops[2] = time_row("c", 50, 40);
  chain.pair().findings = speed_findings(chain.pair());
  chain.tried();
  EXPECT_EQ(chain.asked(), Texts({R"({"op_name_dict":{"block\\[0\\]":"fp32"}})"}));
}

TEST(TryRemedies, EndsWhereItIsStopped) {
  Chain chain;
  EXPECT_THROW(
      try_remedies(
          SmallGraph().graph(), 5,
          [](const json::Value&) -> RemedyTimes { throw Error(Errc::interrupted, "interrupted"); },
          chain.pair()),
      Error);
}

}  // namespace
}  // namespace quantlens
