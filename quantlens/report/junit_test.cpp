// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/junit.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/text.h"
#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(JunitXml, OfARunWithAMissedAndAReachedGate) {
  const std::string below = "1 of 1 activation is below 20 dB, the worst node_y with 5.0 dB.";
  const std::string finding =
      "node_y: its weight has one scale; 90 % of the error (80 to 100, estimated)";
  EXPECT_EQ(
      junit_xml(reported_run(), gate_results(reported_run(), {.least_db = 20, .most_loss = 0.5})),
      R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="quantlens quantize net" tests="5" failures="2" skipped="0" time="0.750">
    <testcase classname="quantlens.run" name="the run was completed">
      <system-out>Much is lost.</system-out>
    </testcase>
    <testcase classname="quantlens.gate" name="SQNR &gt;= 20 dB">
      <failure message=")xml" +
          below + R"xml( Much is lost." type="gate">)xml" + below + R"xml(
Much is lost.</failure>
    </testcase>
    <testcase classname="quantlens.gate" name="accuracy loss &lt;= 50 %"/>
    <testcase classname="quantlens.outputs" name="every output was compared"/>
    <testcase classname="quantlens.finding" name="spread_weight: node_y">
      <failure message=")xml" +
          finding + R"xml(" type="spread_weight">)xml" + finding + R"xml(
recipe: {&quot;op_name_dict&quot;:{&quot;node_y&quot;:&quot;fp32&quot;}}</failure>
    </testcase>
    <system-out>Much is lost.</system-out>
  </testsuite>
</testsuites>
)xml");
}

TEST(JunitXml, FailsNowhereWhereAllGatesAreReached) {
  const std::string text = junit_xml(reported_run(), gate_results(reported_run(), {.least_db = 4}));
  EXPECT_THAT(text, HasSubstr(R"(tests="4" failures="0")"));
  EXPECT_THAT(text, Not(HasSubstr("<failure")));
  EXPECT_THAT(text, HasSubstr("<system-out>node_y: its weight has one scale; 90 % of the error"));
}

TEST(JunitXml, WithoutGatesFailsForAProblemAndForNothingLess) {
  RunRecords records = reported_run();
  EXPECT_THAT(junit_xml(records), HasSubstr(R"(tests="3" failures="1")"));
  records.diagnosis->findings[0].severity = Severity::warning;
  EXPECT_THAT(junit_xml(records), HasSubstr(R"(tests="3" failures="0")"));
}

TEST(JunitXml, OfARunWithoutADiagnosisHasATestAllTheSame) {
  RunRecords records;
  records.run.verb = "benchmark";
  records.run.name = "net";
  records.run.state = WorkloadState::success;
  EXPECT_EQ(junit_xml(records), R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="quantlens benchmark net" tests="1" failures="0" skipped="0" time="0.000">
    <testcase classname="quantlens.run" name="the run was completed">
      <system-out>The run judged nothing.</system-out>
    </testcase>
    <system-out>The run judged nothing.</system-out>
  </testsuite>
</testsuites>
)xml");
}

TEST(JunitXml, SaysThatARunFailed) {
  RunRecords records;
  records.run.state = WorkloadState::failure;
  records.run.message = "no space";
  EXPECT_THAT(junit_xml(records),
              HasSubstr(R"(<failure message="The run failed: no space." type="run">)"));
}

TEST(JunitXml, SaysWhichOutputsWereNotComparedOrThatNothingWas) {
  RunRecords records = reported_run();
  records.diagnosis->outputs_not_compared = {"p", "q"};
  EXPECT_THAT(junit_xml(records), HasSubstr(R"(message="Not compared: p, q. Much is lost.")"));
  records.diagnosis->outputs_not_compared.clear();
  records.diagnosis->activations.clear();
  EXPECT_THAT(junit_xml(records), HasSubstr(R"(message="Nothing was compared. Much is lost.")"));
}

TEST(JunitXml, TellsFindingsOfOneNameApart) {
  RunRecords records = reported_run();
  records.diagnosis->findings.push_back(records.diagnosis->findings[0]);
  EXPECT_THAT(junit_xml(records), HasSubstr(R"(name="spread_weight: node_y")"));
  EXPECT_THAT(junit_xml(records), HasSubstr("name=\"spread_weight: node_y (2)\""));
}

TEST(JunitXml, HoldsHostileNamesAsText) {
  const std::string text = junit_xml(hostile_run());
  EXPECT_THAT(text, HasSubstr("<system-out>a|b`c`&lt;i&gt;*&amp;&quot;'](x){0}@me # ?"
                              "?</system-"));
  EXPECT_THAT(text, HasSubstr("name=\"quantlens quantize a|b`c`&lt;i&gt;*&amp;&quot;'](x){0}@me"));
  EXPECT_THAT(text, Not(HasSubstr("<i>")));
  EXPECT_EQ(valid_utf8(text), text);
  EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' ' && c != '\n'; }));
}

}  // namespace
}  // namespace quantlens
