// What a run found, in the words that its reports share whatever their form: Markdown, JUnit,
// SARIF. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "quantlens/record/run_records.h"
#include "quantlens/report/report_gates.h"

namespace quantlens {

/// What is to be read first, on one line and safe to print: how a run ended that did not succeed,
/// then the verdict of its search, diagnosis or profile; of a run that judged nothing its figures.
std::string verdict_line(const RunRecords& records);

/// In the order that readers should follow. Those about times are notes, since nobody has said how
/// fast the model must be; they stand at the first of their ops.
std::vector<Finding> reported_findings(const RunRecords& records);

/// How grave a finding is to who asks these gates. error: it fails the report.
enum class ReportLevel { error, warning, note };

/// A report fails where the run's reader would, and never for a note:
/// - gates that are all reached: nothing else fails, whatever it is called;
/// - a gate that is missed: problems and warnings are what to look at, so they fail as well;
/// - no gates: a problem fails, since the worst output keeps less than 10 dB, or no figure is sure.
ReportLevel report_level(const Finding& finding, const std::vector<GateResult>& gates);

/// "conv1 and 5 more ops"; empty where a finding is of no op.
std::string place_words(const Finding& finding);

/// Where it is said how a figure was found: on a terminal of shares that are estimates alone.
enum class HowFound { everywhere, of_estimated_shares };

/// "94 % of the error (91 to 96, measured)", else "estimated"; empty where it is about no error.
std::string share_words(const Finding& finding, HowFound said = HowFound::everywhere);

/// What its remedy took away when it was tried, with those before it unless it `is_first`; empty
/// where it was not tried.
std::string tried_words(const Finding& finding, bool is_first,
                        HowFound said = HowFound::everywhere);

/// The reasons, safe to print.
std::string reasons_words(const Finding& finding);

/// The last part of a path, of a folder as well.
std::string file_name_of(const std::string& path);

/// Tells equal texts apart: the second one is of number 2.
class Repeats {
 public:
  std::size_t number(const std::string& text) { return ++seen_[text]; }

 private:
  std::map<std::string, std::size_t> seen_;
};

}  // namespace quantlens
