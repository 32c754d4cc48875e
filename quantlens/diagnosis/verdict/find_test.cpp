// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/find.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

ActivationRow row_at(const std::string& value, double share, double sqnr_db) {
  ActivationRow row;
  row.value = value;
  row.op = op_ref("node_" + value);
  row.quantized = value + "_q";
  row.scale = 0.1;
  row.max = row.data_range = 25.5;
  row.mean = row.median = 10;
  row.standard_deviation = 5;
  row.elements = 1000;
  row.sqnr_db = sqnr_db;
  row.local_mse = row.rounding_mse = 1;
  row.clipping_mse = row.weight_mse = row.input_mse = row.other_mse = 0;
  row.output_share = share;
  row.output_share_interval = {{share - 0.05, share + 0.05}};
  return row;
}

/// Two branches under one root, and one beside it.
class FindCase {
 public:
  explicit FindCase(double output_sqnr_db) {
    net_.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"x"}, "b");
    net_.node(Kind::add, {"a", "b"}, "sum").node(Kind::sqrt, {"sum"}, "root");
    net_.node(Kind::sigmoid, {"x"}, "beside").node(Kind::add, {"root", "beside"}, "y").output("y");
    diagnosis_.paired = 4;
    diagnosis_.local_samples = 8;
    diagnosis_.activations = {row_at("y", 0.01, output_sqnr_db), row_at("a", 0.3, 30),
                              row_at("b", 0.2, 30), row_at("beside", 0.25, 30)};
  }
  Diagnosis& diagnosis() { return diagnosis_; }
  /// How far the value's share goes up and down as blocks of samples are left out.
  void swing(const std::string& value, double by) { swings_[value] = by; }
  /// All shares that are measured come to this, but those of an op and what is with it to nothing.
  void measure(double share, double to_both_sides, const std::string& but = {}) {
    measure_ = [=](const std::vector<OpRef>& ops) {
      const double gone = std::ranges::find(ops, op_ref(but)) == ops.end() ? share : 0;
      return Gain{.share = gone,
                  .interval = {gone - to_both_sides, gone + to_both_sides},
                  .without = std::vector<double>(8, gone)};
    };
  }
  /// The two files differ at an op.
  void change(const std::string& op) {
    pairing_.changes.push_back(
        {.rule = ChangeRule::changed_op, .op = op_ref(op), .ops = {op_ref(op)}});
  }
  /// The op's result has a counterpart and was not compared.
  void leave_out(const std::string& value) {
    ValuePair pair{.op = op_ref("node_" + value)};
    pair.reference = pair.quantized = value;
    pairing_.pairs.push_back(pair);
    pairing_.not_compared.push_back({value, "looking at it would change it"});
  }
  /// Shares that are measured come to nothing, but to this where so many ops are tried at once.
  void measure_together(double share, std::size_t ops) {
    measure_ = [=](const std::vector<OpRef>& tried) {
      const double gone = tried.size() >= ops ? share : 0;
      return Gain{.share = gone,
                  .interval = {gone - 0.01, gone + 0.01},
                  .without = std::vector<double>(8, gone)};
    };
  }
  const Diagnosis& find() {
    SharesWithout shares;
    for (const ActivationRow& row : diagnosis_.activations) {
      if (!row.output_share) continue;
      const double by = swings_.contains(row.value) ? swings_.at(row.value) : 0.005;
      for (int block = 0; block < 8; ++block) {
        shares[{row.value, row.quantized}].push_back(*row.output_share +
                                                     (block % 2 == 0 ? by : -by));
      }
    }
    add_findings(OwnModels(net_.model(), SmallGraph().model(), pairing_), {shares, measure_},
                 diagnosis_);
    return diagnosis_;
  }

 private:
  SmallGraph net_;
  Pairing pairing_;
  Diagnosis diagnosis_;
  std::map<std::string, double> swings_;
  MeasureShare measure_;
};

TEST(FindCauses, ValuesWithACauseInCommonAreOneFinding) {
  FindCase net(5);
  const Diagnosis& found = net.find();
  ASSERT_EQ(found.findings.size(), 2U);
  const Finding& first = found.findings[0];
  EXPECT_EQ(first.rule, "steep_reader");
  EXPECT_EQ(first.op, op_ref("node_a"));
  EXPECT_EQ(first.ops, op_refs({"node_a", "node_sum", "node_b"}));
  EXPECT_DOUBLE_EQ(*first.output_share, 0.5);
  EXPECT_TRUE(first.remedy.at("op_name_dict").as_object().contains("node_b"));
  EXPECT_EQ(found.findings[1].rule, "rounding");
  EXPECT_EQ(found.findings[1].op, op_ref("node_beside"));
}

TEST(FindCauses, WhatWasNotComparedIsTriedWhereOutputsLoseSomething) {
  for (const double output_sqnr_db : {15.0, 115.0}) {
    FindCase net(output_sqnr_db);
    net.measure(0.5, 0.01);
    net.leave_out("root");
    const std::vector<Finding>& findings = net.find().findings;
    const bool is_tried =
        std::ranges::find(findings, op_ref("node_root"), &Finding::op) != findings.end();
    EXPECT_EQ(is_tried, output_sqnr_db == 15);
  }
}

TEST(FindCauses, NothingIsMeasuredOfOpsOfWhichOneIsAnotherInTheFile) {
  for (const bool is_changed : {false, true}) {
    FindCase net(5);
    net.measure(0.4, 0.01);
    if (is_changed) net.change("node_sum");
    const std::vector<Finding>& found = net.find().findings;
    const auto root = std::ranges::find(found, "steep_reader", &Finding::rule);
    ASSERT_NE(root, found.end());
    EXPECT_EQ(root->share_is_measured, !is_changed) << "the change would make its share";
    const auto other = std::ranges::find(found, op_ref("node_beside"), &Finding::op);
    ASSERT_NE(other, found.end());
    EXPECT_TRUE(other->share_is_measured);
  }
}

TEST(FindCauses, SeverityFollowsFromWhatIsLost) {
  EXPECT_EQ(FindCase(5).find().findings[0].severity, Severity::problem);
  EXPECT_EQ(FindCase(15).find().findings[0].severity, Severity::warning);
  EXPECT_EQ(FindCase(25).find().findings[0].severity, Severity::note);
}

TEST(FindCauses, TheVerdictSaysWhatIsLostAndWhereItBegins) {
  const Statements verdict = FindCase(5).find().conclusions;
  EXPECT_EQ(said(std::span(verdict).first(1)), R"(loss(outputs: "all", sqnr: 5))");
  const Statement& share = verdict.at(1);
  EXPECT_EQ(share.says, "share.begins");
  EXPECT_EQ(share.figures.at("estimated"), figure::share(0.5));
  // each block swings both shares by 0.005: t (7) sqrt(7 0.01^2) = 0.0626
  EXPECT_NEAR(share.figures.at("interval").value.at(0).as_double(), 0.5 - 0.0626, 1e-4);
  EXPECT_NEAR(share.figures.at("interval").value.at(1).as_double(), 0.5 + 0.0626, 1e-4);
  EXPECT_EQ(share.figures.at("op"), figure::op(op_ref("node_a")));
  EXPECT_EQ(said(verdict).find("as_much"), std::string::npos) << "25 % is less";
}

TEST(FindCauses, TheVerdictNamesNoCauseWhereNoShareIsSurelyAboveNothing) {
  FindCase net(25);
  net.measure(0.1, 0.3);
  const Diagnosis& found = net.find();
  EXPECT_EQ(found.findings[0].rule, "unexplained");
  const std::string verdict = said(found.conclusions);
  EXPECT_EQ(verdict.find("share.begins"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("share.in_float("), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("measured: 0.1,"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("in_doubt("), std::string::npos) << verdict;
  net.measure(0.4, 0.3);
  EXPECT_NE(net.find().findings[0].rule, "unexplained") << "at least a tenth is sure";
}

TEST(FindCauses, WhatNothingExplainsIsNoMistakeInCommon) {
  FindCase net(5);
  net.measure_together(0.9, 3);
  for (ActivationRow& row : net.diagnosis().activations) {
    row.rounding_mse = 0;
    row.other_mse = 1;
    row.local_sqnr_db = 10;
  }
  for (const Finding& finding : net.find().findings) {
    EXPECT_EQ(said(finding.reasons).find("made_together"), std::string::npos)
        << said(finding.reasons);
  }
}

/// The verdict where the first finding has most of the error by measurement and its op has that
/// SQNR by itself; another one has 2 dB, which no rounding explains.
std::string verdict_beside_a_wrong_op(double first_sqnr_db) {
  FindCase net(5);
  net.measure(0.9, 0.05, "node_beside");
  for (ActivationRow& row : net.diagnosis().activations) row.local_sqnr_db = 40;
  net.diagnosis().activations[1].local_sqnr_db = first_sqnr_db;
  ActivationRow wrong = row_at("beside", 0.01, 30);
  wrong.local_sqnr_db = 2;
  wrong.rounding_mse = 0;
  wrong.other_mse = 1;
  net.diagnosis().activations[3] = wrong;
  const Diagnosis& found = net.find();
  EXPECT_EQ(found.findings[0].op, op_ref("node_a"));
  EXPECT_TRUE(found.findings[0].share_is_measured);
  return said(found.conclusions);
}

TEST(FindCauses, TheVerdictNamesAnOpThatIsMoreWrongByItselfBesideAGreatShare) {
  const std::string verdict = verdict_beside_a_wrong_op(10);
  EXPECT_NE(verdict.find(R"(unexplained_by_itself(op: "node_beside", own_sqnr: 2))"),
            std::string::npos)
      << verdict;
  EXPECT_EQ(verdict_beside_a_wrong_op(1).find("unexplained_by_itself"), std::string::npos);
}

TEST(FindCauses, WhatTakesNothingAwayHasNoRemedyAndIsNoProblem) {
  FindCase net(5);
  net.measure(-0.2, 0.05);
  const std::vector<Finding> found = net.find().findings;
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].rule, "unexplained");
  EXPECT_EQ(found[0].severity, Severity::problem) << "the outputs are lost all the same";
  for (const Finding& finding : found) EXPECT_TRUE(finding.remedy.is_null()) << finding.op.name;
  EXPECT_EQ(found[1].severity, Severity::note);
  EXPECT_FALSE(found[1].tied_with_previous);
  net.measure(0.2, 0.05);
  EXPECT_TRUE(net.find().findings[0].remedy.is_object());
}

TEST(FindCauses, WhatFewSamplesDecideDoesNotComeFirst) {
  FindCase net(5);
  net.diagnosis().activations[3] = row_at("beside", 0.6, 30);
  EXPECT_EQ(net.find().findings[0].op, op_ref("node_beside"));
  net.swing("beside", 0.3);
  EXPECT_EQ(net.find().findings[0].op, op_ref("node_a"));
}

TEST(FindCauses, TiesAreShown) {
  FindCase net(5);
  net.diagnosis().activations[3] = row_at("beside", 0.45, 30);
  net.swing("beside", -0.005);  // a half width of 2.36 sqrt(7) 0.015 = 0.09
  const Diagnosis& found = net.find();
  EXPECT_FALSE(found.findings[0].tied_with_previous);
  EXPECT_TRUE(found.findings[1].tied_with_previous);
  const Statements& verdict = found.conclusions;
  const auto second = std::ranges::find(verdict, "as_much.begins", &Statement::says);
  ASSERT_NE(second, verdict.end());
  EXPECT_EQ(second->figures.at("op"), figure::op(op_ref("node_beside")));
}

TEST(FindCauses, WhatSwingsTogetherIsNoTieThoughIntervalsOverlap) {
  FindCase net(5);
  net.diagnosis().activations[3] = row_at("beside", 0.45, 30);
  net.swing("beside", 0.01);  // as the two that make up the other finding
  const Diagnosis& found = net.find();
  EXPECT_GT((*found.findings[1].output_share_interval)[1],
            (*found.findings[0].output_share_interval)[0]);
  EXPECT_FALSE(found.findings[1].tied_with_previous);
  EXPECT_EQ(said(found.conclusions).find("as_much"), std::string::npos);
}

TEST(FindCauses, EqualOutputsAreEqualWhateverIsLostBefore) {
  FindCase net(std::numeric_limits<double>::infinity());
  const Diagnosis& found = net.find();
  EXPECT_EQ(said(std::span(found.conclusions).first(1)), R"(loss(outputs: "all", sqnr: "inf"))");
  EXPECT_EQ(found.findings.front().severity, Severity::note);
}

TEST(FindCauses, WhereNoOutputWasComparedNothingIsSaidOfThem) {
  FindCase net(5);
  net.diagnosis().activations.erase(net.diagnosis().activations.begin());
  EXPECT_EQ(said(std::span(net.find().conclusions).first(1)),
            "loss.no_output(worst_activation: 30)");
}

TEST(FindCauses, InfiniteOutputsAreTheFirstProblem) {
  FindCase net(31);
  net.diagnosis().activations[0].nonfinite = 1000;
  net.diagnosis().activations[0].became_nonfinite = 1000;
  const Diagnosis& found = net.find();
  EXPECT_EQ(said(std::span(found.conclusions).first(1)), "loss.nonfinite(part: 0.5)");
  EXPECT_EQ(found.findings.front().rule, "nonfinite");
  EXPECT_EQ(found.findings.front().severity, Severity::problem);
}

TEST(FindCauses, WithoutLocalErrorsTheVerdictSaysSo) {
  FindCase net(5);
  net.diagnosis().local_samples = 0;
  for (ActivationRow& row : net.diagnosis().activations) row.output_share.reset();
  const Diagnosis& found = net.find();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.conclusions.back().says, "no_local_errors");
}

TEST(FindCauses, AScaleThatIsNotFoldedIsNamedWhereverItStandsHoweverLittleBeginsThere) {
  SmallGraph net;
  net.input("x").weight("f", {1, 2, 1, 1}, {0.01F, 1}).node(Kind::relu, {"x"}, "a");
  net.node(Kind::mul, {"a", "f"}, "b").node(Kind::relu, {"b"}, "c");
  net.node(Kind::mul, {"c", "f"}, "y").output("y");
  Diagnosis diagnosis;
  diagnosis.paired = 4;
  diagnosis.local_samples = 8;
  diagnosis.activations = {row_at("y", 0.001, 5), row_at("a", 0.9, 30), row_at("b", 0.001, 30),
                           row_at("c", 0.001, 30)};
  for (ActivationRow& row : diagnosis.activations) {
    const bool is_before = row.value == "a" || row.value == "c";
    row.channel_spread = is_before ? 100 : 1;
    row.scale = is_before ? 0.1 : 0.01;
    row.max = row.data_range = 255 * *row.scale;
  }
  const SharesWithout none;
  add_findings(OwnModels(net.model(), SmallGraph().model()), {none, {}}, diagnosis);
  ASSERT_FALSE(diagnosis.findings.empty());
  const Finding& first = diagnosis.findings[0];
  EXPECT_EQ(first.rule, "unfolded_scale");
  EXPECT_EQ(first.ops, op_refs({"node_a", "node_b", "node_c", "node_y"}));
  for (const OpRef& op : first.ops)
    EXPECT_TRUE(first.remedy.at("op_name_dict").as_object().contains(op.name)) << op.name;
}

TEST(FindCauses, FindingsOfOneOpSayWhichOfItsValuesTheySpeakOf) {
  FindCase net(5);
  net.diagnosis().activations[0].op = op_ref("node_beside");  // the row of y
  net.diagnosis().activations[0].output_share = 0.2;
  const Diagnosis& found = net.find();
  std::vector<std::string> of_one;
  for (const Finding& finding : found.findings) {
    if (finding.op == op_ref("node_beside")) of_one.push_back(said(finding.reasons));
  }
  ASSERT_EQ(of_one.size(), 2U);
  EXPECT_TRUE(of_one[0].starts_with(R"(at_value(value: "beside") )")) << of_one[0];
  EXPECT_TRUE(of_one[1].starts_with(R"(at_value(value: "y") )")) << of_one[1];
  EXPECT_NE(found.findings[0].reasons.front().says, "at_value");
}

}  // namespace
}  // namespace quantlens
