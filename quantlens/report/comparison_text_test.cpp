// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/comparison_text.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

Comparison with_a_finding_that_grew() {
  Comparison comparison;
  comparison.counts.matched = 1;
  ComparedFinding grown{.change = FindingChange::changed, .rule = "clipped_range"};
  grown.a = grown.b = OpRef{"y", "conv"};
  grown.severity_a = grown.severity_b = Severity::problem;
  grown.output_share_a = 0.2;
  grown.output_share_b = 0.5;
  grown.output_share_interval_b = {0.094, 0.936};
  comparison.findings = {grown};
  return comparison;
}

TEST(ComparisonText, HasSharesAsPercentsWithTheEndsOfTheirIntervals) {
  const std::string text = comparison_text(with_a_finding_that_grew(), {});
  EXPECT_NE(text.find("50 % (9 to 94)"), std::string::npos) << text;
  EXPECT_NE(text.find("  20 %  "), std::string::npos) << "without an interval:\n" << text;
}

}  // namespace
}  // namespace quantlens
