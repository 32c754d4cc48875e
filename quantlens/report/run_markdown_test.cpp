// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/run_text.h"
#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const RunView kMarkdownView{.markdown = true};

TEST(RunMarkdown, HasTheVerdictFirstAndThenAllThatWasFound) {
  const std::string text = run_text(reported_run(), kMarkdownView);
  EXPECT_THAT(text, StartsWith("**Verdict on net:** Much is lost.\n\n**Accuracy**\n\n| Model |"));
  EXPECT_THAT(text, HasSubstr("\n\ntop1 (int8\\|fp32): 0.5000\\|0.7500, ratio "));
  EXPECT_THAT(text, HasSubstr("\n\n**Findings**\n\n1. **problem** spread_weight"));
  EXPECT_THAT(text, HasSubstr("\n\n**Activations summary**\n\n| OP name |"));
  EXPECT_THAT(text, HasSubstr("\n\n0 ops in int8, 0 in float\n\n"));
}

TEST(RunMarkdown, CountsTheRowsThatItHides) {
  RunRecords records = reported_run();
  records.diagnosis->activations.resize(25, records.diagnosis->activations[0]);
  EXPECT_THAT(run_markdown(records, kMarkdownView),
              HasSubstr("\n5 more rows are not shown; --all shows all rows.\n"));
  RunView all = kMarkdownView;
  all.text.rows = 0;
  EXPECT_THAT(run_markdown(records, all), Not(HasSubstr("not shown")));
}

TEST(RunMarkdown, OfASearchHasItsTrials) {
  RunRecords records;
  records.run.state = WorkloadState::success;
  Study& study = records.study.emplace();
  study.trials.emplace_back().why = "as *asked*";
  study.trials[0].number = 1;
  const std::string text = run_markdown(records, kMarkdownView);
  EXPECT_THAT(text, StartsWith("**Verdict:** The goal was missed"));
  EXPECT_THAT(text, HasSubstr("\n\n**Trials**\n\n| Trial |"));
  EXPECT_THAT(text, HasSubstr("\n| 1 | as \\*asked\\* |"));
}

TEST(RunMarkdown, OfACalibrationIsATable) {
  RunRecords records;
  records.run.state = WorkloadState::success;
  records.statistics = {.output = "s.bin", .samples = 100, .values = 1};
  EXPECT_THAT(run_markdown(records, kMarkdownView), HasSubstr("\n| s.bin | 1 | 100 |\n"));
}

TEST(RunMarkdown, HoldsHostileNamesAsText) {
  RunRecords records = hostile_run();
  records.diagnosis->only_reference = {kHostile};
  records.diagnosis->not_compared.push_back({kHostile, kHostile});
  const std::string remedy = "remedy, for `quantize --recipe`: " +
                             markdown_code(json::line(records.diagnosis->findings.at(0).remedy)) +
                             "\n";
  std::string text = run_markdown(records, kMarkdownView);
  EXPECT_EQ(valid_utf8(text), text);
  ASSERT_THAT(text, HasSubstr(remedy)) << "in code nothing is a mark";
  text.erase(text.find(remedy), remedy.size());
  EXPECT_THAT(text, Not(HasSubstr("<i>")));
  EXPECT_THAT(text, Not(HasSubstr("@me")));
}

}  // namespace
}  // namespace quantlens
