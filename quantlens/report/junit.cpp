// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/junit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/json_line.h"
#include "quantlens/base/markup.h"
#include "quantlens/base/text.h"
#include "quantlens/report/report_findings.h"

namespace quantlens {
namespace {

struct TestFailure {
  std::string kind;
  std::string message;
  std::string text;
};

struct TestCase {
  std::string group;
  std::string name;
  std::optional<TestFailure> failure;
  std::string output = {};  ///< of one that passes
};

/// Text as an element or an attribute in double quotes may have it. Lines are kept.
std::string xml_text(std::string_view text) {
  std::string safe;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += escaped_markup(printable(text.substr(begin, end - begin)));
    if (end < text.size()) safe += '\n';
    begin = end + 1;
  }
  return safe;
}

/// One that stands beside another.
std::string full_sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  if (text.back() != '.') text += '.';
  return text;
}

TestCase completed_case(const RunRecords& records) {
  TestCase test{.group = "run", .name = "the run was completed", .failure = {}};
  const std::string verdict = verdict_line(records);
  test.output = verdict;
  if (records.run.state == WorkloadState::success) return test;
  test.failure = {.kind = "run", .message = verdict, .text = verdict};
  return test;
}

TestFailure failure_before(const std::string& verdict, const char* kind, const std::string& why) {
  return {.kind = kind,
          .message = full_sentence(why) + " " + verdict,
          .text = full_sentence(why) + "\n" + verdict};
}

TestCase gate_case(const GateResult& gate, const std::string& verdict) {
  TestCase test{.group = "gate", .name = gate.asks, .failure = {}};
  if (!gate.reached) test.failure = failure_before(verdict, "gate", gate.because);
  return test;
}

TestCase outputs_case(const Diagnosis& diagnosis, const std::string& verdict) {
  TestCase test{.group = "outputs", .name = "every output was compared", .failure = {}};
  std::string why;
  for (const std::string& output : diagnosis.outputs_not_compared)
    why += fmt::format("{}{}", why.empty() ? "not compared: " : ", ", printable(output));
  if (why.empty() && diagnosis.activations.empty()) why = "nothing was compared";
  if (!why.empty()) test.failure = failure_before(verdict, "outputs", why);
  return test;
}

TestCase finding_case(const Finding& finding, const std::vector<GateResult>& gates,
                      bool is_first_tried) {
  const std::string place = place_words(finding);
  const std::string share = share_words(finding);
  const std::string name = finding.op.name.empty() ? "" : ": " + finding.op.name;
  TestCase test{.group = "finding", .name = finding.rule + name, .failure = {}};
  const std::string sentence =
      fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", reasons_words(finding),
                  share.empty() ? "" : "; ", share);
  std::string text = sentence;
  if (!finding.remedy.is_null()) text += "\nrecipe: " + json::line(finding.remedy);
  if (finding.measured_gain) text += "\n" + tried_words(finding, is_first_tried);
  if (report_level(finding, gates) == ReportLevel::error) {
    test.failure = {.kind = finding.rule, .message = sentence, .text = text};
  } else {
    test.output = text;
  }
  return test;
}

std::vector<TestCase> cases_of(const RunRecords& records, const std::vector<GateResult>& gates,
                               const std::string& verdict) {
  std::vector<TestCase> tests{completed_case(records)};
  for (const GateResult& gate : gates) tests.push_back(gate_case(gate, verdict));
  if (records.diagnosis) tests.push_back(outputs_case(*records.diagnosis, verdict));
  Repeats names;  // readers take tests of one name for one test
  bool is_first_tried = true;
  for (const Finding& finding : reported_findings(records)) {
    TestCase test = finding_case(finding, gates, is_first_tried);
    if (finding.measured_gain) is_first_tried = false;
    if (const std::size_t number = names.number(test.name); number > 1)
      test.name += fmt::format(" ({})", number);
    tests.push_back(std::move(test));
  }
  return tests;
}

std::string case_text(const TestCase& test) {
  std::string text = fmt::format("    <testcase classname=\"quantlens.{}\" name=\"{}\"",
                                 xml_text(test.group), xml_text(test.name));
  if (test.failure) {
    return text + fmt::format(
                      ">\n      <failure message=\"{}\" type=\"{}\">{}</failure>\n"
                      "    </testcase>\n",
                      xml_text(test.failure->message), xml_text(test.failure->kind),
                      xml_text(test.failure->text));
  }
  if (test.output.empty()) return text + "/>\n";
  return text + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n",
                            xml_text(test.output));
}

double seconds_of_phases(const Workload& run) {
  double seconds = 0;
  for (const auto& [phase, one] : run.times) {
    if (std::isfinite(one) && one > 0) seconds += one;
  }
  return seconds;
}

}  // namespace

std::string junit_xml(const RunRecords& records, const std::vector<GateResult>& gates) {
  const std::string verdict = verdict_line(records);
  const std::vector<TestCase> tests = cases_of(records, gates, verdict);
  std::size_t failures = 0;
  std::string body;
  for (const TestCase& test : tests) {
    if (test.failure) ++failures;
    body += case_text(test);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"quantlens {} {}\" tests=\"{}\" failures=\"{}\" skipped=\"0\" "
      "time=\"{:.3f}\">\n{}    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
      xml_text(records.run.verb), xml_text(records.run.name), tests.size(), failures,
      seconds_of_phases(records.run), body, xml_text(verdict));
}

}  // namespace quantlens
