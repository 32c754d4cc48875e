// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/float_remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Ops = std::vector<OpRef>;

/// Conv, Sigmoid, Conv, all integer; `beside` adds a Conv that reads the Sigmoid, too.
class RemedyNet {
 public:
  explicit RemedyNet(bool beside) {
    net_.input("x").weight("w", {2, 2, 1, 1}, {1, 0, 0, 1});
    net_.node(Kind::conv, {"x", "w"}, "a").node(Kind::sigmoid, {"a"}, "s");
    net_.node(Kind::conv, {"s", "w"}, "y").output("y");
    if (beside) net_.node(Kind::conv, {"s", "w"}, "z").output("z");
    for (const char* value : {"a", "s", "y", "z"}) {
      if (!beside && *value == 'z') continue;
      ValuePair pair{.op = op_ref(std::string("node_") + value)};
      pair.reference = pair.quantized = value;
      pair.scheme = Scheme();
      pair.params = QParams{0.1F, 0};
      pairing_.pairs.push_back(pair);
    }
  }

  /// The ops that are measured in float where a remedy asks for that of these, and what is told.
  Ops measured(const Ops& ops, boost::json::object remedy, std::string& told) {
    const Diagnosis diagnosis;
    const OwnModels models(net_.model(), SmallGraph().model(), pairing_);
    const Evidence evidence(models, diagnosis);
    std::vector<FoundCause> found(1);
    found[0].cause = {
        .reasons = {{.says = "why", .figures = {}}}, .ops = ops, .remedy = std::move(remedy)};
    FloatRemedies remedies(evidence);
    remedies.join(found);
    Ops asked;
    Ops expected;
    const MeasureShare measure = [&](const Ops& all) {
      asked = all;
      return std::optional<Gain>();
    };
    const ExpectShares expect = [&](const std::vector<Ops>& all) { expected = all.front(); };
    remedies.expecting(expect)({ops});
    remedies.measuring(measure)(ops);
    EXPECT_EQ(asked, expected);
    found[0].estimated = 0.1;
    remedies.tell(found[0]);
    told = said(found[0].cause.reasons);
    return asked;
  }

  void leave_out(const std::string& value) { pairing_.not_compared.push_back({value, "why"}); }

  /// What is left of causes that these ops in float mend.
  std::vector<FoundCause> joined(const std::vector<Ops>& mended) {
    const Diagnosis diagnosis;
    const OwnModels models(net_.model(), SmallGraph().model(), pairing_);
    const Evidence evidence(models, diagnosis);
    std::vector<FoundCause> found;
    for (const Ops& ops : mended) {
      FoundCause& one = found.emplace_back();
      one.op = ops.front();
      one.cause = {
          .reasons = {{.says = "why", .figures = {}}}, .ops = ops, .remedy = in_float(ops)};
      one.share = 0.25;
    }
    FloatRemedies(evidence).join(found);
    return found;
  }

 private:
  SmallGraph net_;
  Pairing pairing_;
};

/// One trial gives one figure: it is one finding, which names the ops of all.
TEST(FloatRemedies, ThatMakeTheSameOpsFloatAreOne) {
  const std::vector<FoundCause> one =
      RemedyNet(false).joined({op_refs({"node_y"}), op_refs({"node_s", "node_y"})});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_THAT(one[0].cause.ops, testing::UnorderedElementsAre(op_ref("node_y"), op_ref("node_s")));
  EXPECT_EQ(one[0].cause.remedy, in_float(one[0].cause.ops));
  EXPECT_DOUBLE_EQ(one[0].share, 0.5);
  EXPECT_EQ(RemedyNet(true).joined({op_refs({"node_y"}), op_refs({"node_s", "node_y"})}).size(), 2U)
      << "the other Conv reads codes still";
}

TEST(FloatRemedies, WhatOnlyFloatsReadThenIsMeasuredWithThem) {
  std::string told;
  EXPECT_THAT(RemedyNet(false).measured({op_ref("node_y")}, in_float({op_ref("node_y")}), told),
              ElementsAre(op_ref("node_y"), op_ref("node_s")));
  EXPECT_EQ(told, R"(why() share_includes.left_in_float(op: "node_s", other_ops: 0))");
}

TEST(FloatRemedies, WhatReadsFloatsThenIsMeasuredWithThem) {
  std::string told;
  EXPECT_THAT(RemedyNet(true).measured({op_ref("node_a")}, in_float({op_ref("node_a")}), told),
              ElementsAre(op_ref("node_a"), op_ref("node_s")));
}

TEST(FloatRemedies, WhatWasNotComparedIsNotMeasuredWithThem) {
  std::string told;
  RemedyNet net(false);
  net.leave_out("s");
  EXPECT_THAT(net.measured({op_ref("node_y")}, in_float({op_ref("node_y")}), told),
              ElementsAre(op_ref("node_y")));
}

TEST(FloatRemedies, CodesThatOthersReadStay) {
  std::string told;
  EXPECT_THAT(RemedyNet(true).measured({op_ref("node_y")}, in_float({op_ref("node_y")}), told),
              ElementsAre(op_ref("node_y")));
  EXPECT_EQ(told, "why()");
}

TEST(FloatRemedies, RemediesThatKeepCodesAreMeasuredAsTheyAre) {
  std::string told;
  const boost::json::object per_channel =
      for_ops({op_ref("node_y")}, {{"weight", {{"granularity", "per_channel"}}}});
  EXPECT_THAT(RemedyNet(false).measured({op_ref("node_y")}, per_channel, told),
              ElementsAre(op_ref("node_y")));
  EXPECT_EQ(told, "why()");
}

}  // namespace
}  // namespace quantlens
