// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/report_findings.h"

#include <gtest/gtest.h>

#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

TEST(VerdictLine, IsTheDiagnosisSentence) {
  EXPECT_EQ(verdict_line(reported_run()), "Much is lost.");
}

TEST(VerdictLine, BeginsWithHowARunEndedThatDidNotSucceed) {
  RunRecords records = reported_run();
  records.run.state = WorkloadState::failure;
  records.run.message = "no\nspace";
  EXPECT_EQ(verdict_line(records), "The run failed: no space. Much is lost.");
  records.diagnosis.reset();
  records.accuracy.reset();
  records.plan.reset();
  EXPECT_EQ(verdict_line(records), "The run failed: no space.");
  records.run.state = WorkloadState::wip;
  records.run.message.clear();
  EXPECT_EQ(verdict_line(records), "The run has not ended.");
}

TEST(VerdictLine, OfARunThatJudgedNothingIsItsFigures) {
  RunRecords records = reported_run();
  records.diagnosis.reset();
  EXPECT_EQ(verdict_line(records),
            "top1 (int8|fp32): 0.5000|0.7500, ratio n/a, 95 % interval of the difference n/a");
  records.accuracy.reset();
  EXPECT_EQ(verdict_line(records), "0 ops in int8, 0 in float");
  records.plan.reset();
  EXPECT_EQ(verdict_line(records), "The run judged nothing.");
}

TEST(VerdictLine, OfASearchIsWhetherItsGoalIsReached) {
  RunRecords records;
  records.run.state = WorkloadState::success;
  records.study.emplace();
  EXPECT_EQ(verdict_line(records).find("The goal was missed: no trial has a figure"), 0U);
  EXPECT_EQ(verdict_line(records).find('\n'), std::string::npos);
}

TEST(ReportedFindings, OfTimesAreNotesAtTheFirstOfTheirOps) {
  RunRecords records;
  SpeedFinding& speed = records.profile.emplace().findings.emplace_back();
  speed.rule = SpeedRule::conversions;
  speed.ops = op_refs({"node_a", "node_b"});
  const std::vector<Finding> findings = reported_findings(records);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "conversions");
  EXPECT_EQ(findings[0].severity, Severity::note);
  EXPECT_EQ(place_words(findings[0]), "node_a and 1 more op");
  EXPECT_EQ(share_words(findings[0]), "");
}

TEST(ReportLevel, IsAnErrorOnlyWhereTheReaderOfTheRunWouldFail) {
  const std::vector<GateResult> missed = {{.reached = true}, {.reached = false}};
  const std::vector<GateResult> reached = {{.reached = true}};
  const auto level = [](Severity severity, const std::vector<GateResult>& gates) {
    Finding finding;
    finding.severity = severity;
    return report_level(finding, gates);
  };
  EXPECT_EQ(level(Severity::problem, {}), ReportLevel::error);
  EXPECT_EQ(level(Severity::warning, {}), ReportLevel::warning);
  EXPECT_EQ(level(Severity::problem, reached), ReportLevel::warning);
  EXPECT_EQ(level(Severity::problem, missed), ReportLevel::error);
  EXPECT_EQ(level(Severity::warning, missed), ReportLevel::error);
  for (const auto& gates : {std::vector<GateResult>{}, reached, missed})
    EXPECT_EQ(level(Severity::note, gates), ReportLevel::note);
}

TEST(ShareWords, TellWhatWasMeasuredFromWhatIsEstimated) {
  Finding finding;
  finding.output_share = 0.9;
  finding.output_share_interval = {0.8, 1.0};
  EXPECT_EQ(share_words(finding), "90 % of the error (80 to 100, estimated)");
  finding.share_is_measured = true;
  finding.tied_with_previous = true;
  EXPECT_EQ(share_words(finding),
            "90 % of the error (80 to 100, measured), tied with the one above");
  finding.share_samples = 16;
  EXPECT_EQ(share_words(finding),
            "90 % of the error (80 to 100, measured over 16 samples), tied with the one above");
  finding.share_samples = 0;
  finding.output_share = -0.1;
  finding.output_share_interval = {-0.2, 0.1};
  EXPECT_EQ(share_words(finding),
            "in float no gain can be told (-20 to 10 % of the error gone, measured)");
  finding.output_share_interval = {-0.2, -0.1};
  EXPECT_EQ(share_words(finding),
            "in float it takes nothing away (-20 to -10 % of the error gone, measured)");
}

TEST(TriedWords, SayWhatTheRemedyTookAway) {
  Finding finding;
  EXPECT_EQ(tried_words(finding, true), "");
  finding.measured_gain = 0.94;
  finding.measured_gain_interval = {0.91, 0.96};
  EXPECT_EQ(tried_words(finding, true), "tried: 94 % of the error gone (91 to 96, measured)");
  finding.measured_gain = -0.5;
  finding.measured_gain_interval = {-0.6, -0.4};
  EXPECT_EQ(tried_words(finding, false),
            "tried with those above: 50 % more error (40 to 60, measured)");
  finding.measured_gain_interval = {-0.6, 0.4};
  EXPECT_EQ(tried_words(finding, true),
            "tried: no gain that these samples could tell (-60 to 40 % of the error gone, "
            "measured)");
}

TEST(FileNameOf, IsTheLastPartOfAFolderAsWell) {
  EXPECT_EQ(file_name_of("/a/b.onnx"), "b.onnx");
  EXPECT_EQ(file_name_of("/a/saved/"), "saved");
  EXPECT_EQ(file_name_of("b.onnx"), "b.onnx");
  EXPECT_EQ(file_name_of(""), "");
}

}  // namespace
}  // namespace quantlens
