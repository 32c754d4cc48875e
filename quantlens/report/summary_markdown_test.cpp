// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/summary_markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"
#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(SummaryMarkdown, HasTheVerdictTheMissedGateAndWhatWasFound) {
  const std::string lost =
      "the loss of top1 is 33.33 % (from 0.7500 to 0.5000), where at most 1 % is allowed";
  const std::string finding =
      "90 % of the error (80 to 100, estimated): node_y: its weight has one scale";
  const std::string ops =
      to_markdown(activations_table(*reported_run().diagnosis, ActivationOrder::sqnr));
  EXPECT_EQ(summary_markdown(reported_run(),
                             gate_results(reported_run(), {.least_db = 4, .most_loss = 0.01})),
            R"(**Verdict on net:** Much is lost.

**Gate missed:** accuracy loss \<= 1 %: )" +
                lost + R"(

**Gate reached:** SQNR \>= 4 dB

**Accuracy**

| Model | Metric | Value | 95 % low | 95 % high | Samples | Lost | Gained |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| int8 | top1 | 0.5 |  |  | 8 |  |  |
| fp32 | top1 | 0.75 |  |  | 8 |  |  |
| difference | top1 | -0.25 |  |  | 8 | 2 | 0 |

**Findings**

1. **problem** spread_weight, )" +
                finding + R"(
    - remedy, for `quantize --recipe`: `{"op_name_dict":{"node_y":"fp32"}}`

)" + ops + R"(
**Run**

| What | Which |
| --- | --- |
| Id | one |
| Verb | quantize |
| Model, reference | net.onnx, SHA-256 35622c656987 |
| Version | 0.1.0 |
| When | 2026-11-28T02:47:16.976Z |
)");
}

TEST(SummaryMarkdown, OfARunWithoutADiagnosisSaysWhatWasRun) {
  RunRecords records;
  records.run.id = "one";
  records.run.verb = "benchmark";
  records.run.state = WorkloadState::success;
  EXPECT_EQ(summary_markdown(records), R"(**Verdict:** The run judged nothing.

**Run**

| What | Which |
| --- | --- |
| Id | one |
| Verb | benchmark |
| Version |  |
| When |  |
)");
}

TEST(SummaryMarkdown, OfAnEvaluationCallsTheModelsByTheirFiles) {
  RunRecords records = reported_run();
  records.plan.reset();
  records.diagnosis.reset();
  records.run.models.push_back({.role = ModelRole::quantized, .path = "/x/q.onnx", .sha256 = {}});
  EXPECT_THAT(summary_markdown(records), HasSubstr("| q.onnx | top1 | 0.5 |"));
}

TEST(SummaryMarkdown, OfASearchHasItsTable) {
  RunRecords records;
  records.run.state = WorkloadState::success;
  records.study.emplace();
  const std::string text = summary_markdown(records);
  EXPECT_THAT(text, StartsWith("**Verdict:** The goal was missed"));
  EXPECT_THAT(text, HasSubstr("**Tune Result Statistics**"));
}

TEST(SummaryMarkdown, SaysWhatARemedyTookAwayAndOfWhichOps) {
  RunRecords records = reported_run();
  Finding& finding = records.diagnosis->findings[0];
  finding.ops = op_refs({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"});
  finding.measured_gain = 0.94;
  finding.measured_gain_interval = {0.91, 0.96};
  records.diagnosis->findings.push_back(finding);
  const std::string text = summary_markdown(records);
  EXPECT_THAT(text, HasSubstr("node_y and 11 more ops: its weight has one scale\n"
                              "    - ops: a, b, c, d, e, f, g, h, i, j and 2 more\n"));
  EXPECT_THAT(text, HasSubstr("    - tried: 94 % of the error gone (91 to 96, measured)\n"));
  EXPECT_THAT(text, HasSubstr("    - tried with those above: 94 % of the error gone"));
}

TEST(SummaryMarkdown, ShowsTenOpsAndTwentyFindings) {
  RunRecords records = reported_run();
  Diagnosis& diagnosis = *records.diagnosis;
  diagnosis.activations.resize(13, diagnosis.activations[0]);
  diagnosis.findings.resize(22, diagnosis.findings[0]);
  const std::string text = summary_markdown(records);
  EXPECT_THAT(text, HasSubstr("\n3 more rows are not shown.\n"));
  EXPECT_THAT(text, HasSubstr("\n20. **problem**"));
  EXPECT_THAT(text, Not(HasSubstr("\n21. ")));
  EXPECT_THAT(text, HasSubstr("\n2 more findings not shown.\n"));
}

TEST(SummaryMarkdown, FitsIntoACommentOnGitHubAndSaysWhatItLeavesOut) {
  constexpr std::size_t kMost = 65'536;
  RunRecords records = reported_run();
  Diagnosis& diagnosis = *records.diagnosis;
  diagnosis.activations.resize(30, diagnosis.activations[0]);
  diagnosis.findings.resize(30, diagnosis.findings[0]);
  for (Finding& finding : diagnosis.findings) finding.op.name = std::string(5'000, 'n');
  std::string text = summary_markdown(records);
  EXPECT_LE(text.size(), kMost);
  EXPECT_THAT(text, HasSubstr("\n20 more findings not shown.\n"));
  EXPECT_THAT(text, HasSubstr("\n20 more rows are not shown.\n"));
  EXPECT_THAT(text, HasSubstr("| Id | one |"));
  for (ActivationRow& row : diagnosis.activations) row.op.name = std::string(50'000, 'a');
  text = summary_markdown(records);
  EXPECT_LE(text.size(), kMost);
  EXPECT_THAT(text, HasSubstr("30 findings not shown.\n"));
  EXPECT_THAT(text, HasSubstr("30 activations not shown.\n"));
  EXPECT_THAT(text, HasSubstr("| Id | one |"));
}

TEST(SummaryMarkdown, OfAVerdictThatIsTooLongHasItsBeginning) {
  RunRecords records = reported_run();
  std::string verdict;
  for (int i = 0; i < 40'000; ++i) verdict += "\u00e9";
  records.diagnosis->conclusions = {said_in_words(verdict)};
  const std::string text = summary_markdown(records);
  EXPECT_LE(text.size(), 65'536U);
  EXPECT_THAT(text, EndsWith("\u00e9\n\nThe rest is left out: GitHub shows 65,536 characters.\n"));
  EXPECT_EQ(valid_utf8(text), text);
}

TEST(SummaryMarkdown, NamesTheFileOfARemedyThatIsTooLong) {
  RunRecords records = reported_run();
  records.diagnosis->findings[0].remedy =
      boost::json::object{{"op_name_dict", {{std::string(5'000, 'n'), "fp32"}}}};
  EXPECT_THAT(summary_markdown(records),
              HasSubstr("    - remedy: `remedy_1.json` in the workload\n"));
}

TEST(SummaryMarkdown, MakesNoLinksOfNames) {
  RunRecords records = reported_run();
  records.run.name = "http://a.example www.b.example awww.c";
  const std::string text = summary_markdown(records);
  EXPECT_THAT(
      text,
      StartsWith("**Verdict on http:<!-- -->//a.example www<!-- -->.b.example awww<!-- -->.c:**"));
}

TEST(SummaryMarkdown, OfMoreThanNineFindingsStaysOneList) {
  RunRecords records = reported_run();
  records.diagnosis->findings.resize(11, records.diagnosis->findings[0]);
  EXPECT_THAT(summary_markdown(records), HasSubstr("\n10. **problem**"));
  EXPECT_THAT(summary_markdown(records), Not(HasSubstr("\n   - "))) << "the number is four wide";
}

TEST(SummaryMarkdown, HoldsHostileNamesAsText) {
  const std::string text = summary_markdown(hostile_run());
  const char* safe = R"(a\|b\`c\`\<i\>\*\&"'\](x){0}@<!-- -->me \# ??)";
  const char* in_a_cell = R"(a\|b\`c\`\<i\>\*\&"'\](x){0}@<!-- -->me?\# ??)";
  EXPECT_THAT(text, StartsWith(std::string("**Verdict on ") + in_a_cell + ":** " + safe + "\n\n"));
  EXPECT_THAT(text, HasSubstr(std::string(": ") + safe +
                              "\n    - remedy, for `quantize --recipe`: ``{\"op_name_dict\":"));
  EXPECT_THAT(text, HasSubstr(std::string("| Id | ") + in_a_cell + " |\n"));
  EXPECT_THAT(text, HasSubstr(std::string("\n| ") + in_a_cell + " | 0.0 |"));
  EXPECT_EQ(valid_utf8(text), text);
}

}  // namespace
}  // namespace quantlens
