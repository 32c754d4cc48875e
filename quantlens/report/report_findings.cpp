// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/report_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/benchmark_text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/statement_text.h"
#include "quantlens/report/statistics_text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string end_words(const Workload& run) {
  if (run.state == WorkloadState::success) return {};
  const std::string why = run.message.empty() ? "" : ": " + run.message;
  return fmt::format("The run {}{}. ",
                     run.state == WorkloadState::failure ? "failed" : "has not ended", why);
}

std::string judged_words(const RunRecords& records) {
  if (records.study) {
    const bool has_ended = records.run.state == WorkloadState::success;
    return has_ended ? goal_text(*records.study) : unfinished_text(*records.study, records.run);
  }
  if (records.diagnosis && !records.diagnosis->conclusions.empty()) {
    return text_of(records.diagnosis->conclusions);
  }
  if (records.profile && !records.profile->conclusions.empty()) {
    return text_of(records.profile->conclusions);
  }
  if (records.accuracy) return first_line(accuracy_text(*records.accuracy));
  if (records.benchmark) return benchmark_ratio_text(*records.benchmark);
  if (records.plan) return op_counts_text(*records.plan);
  if (records.statistics) return statistics_text(*records.statistics);
  return {};
}

Finding finding_of(const SpeedFinding& speed) {
  Finding finding;
  finding.rule = word(speed.rule);
  if (!speed.ops.empty()) finding.op = speed.ops.front();
  finding.ops = speed.ops;
  finding.reasons = speed.reasons;
  finding.remedy = speed.remedy;
  return finding;
}

}  // namespace

std::string verdict_line(const RunRecords& records) {
  // A search that has not ended says so itself.
  const std::string end = records.study ? std::string() : end_words(records.run);
  const std::string line = unwrapped(end + judged_words(records));
  return line.empty() ? "The run judged nothing." : line;
}

std::vector<Finding> reported_findings(const RunRecords& records) {
  std::vector<Finding> findings;
  if (records.diagnosis) findings = records.diagnosis->findings;
  if (records.profile) {
    for (const SpeedFinding& speed : records.profile->findings) {
      findings.push_back(finding_of(speed));
    }
  }
  return findings;
}

ReportLevel report_level(const Finding& finding, const std::vector<GateResult>& gates) {
  if (finding.severity == Severity::note) return ReportLevel::note;
  const bool is_missed = !std::ranges::all_of(gates, &GateResult::reached);
  const bool is_grave = gates.empty() && finding.severity == Severity::problem;
  return is_missed || is_grave ? ReportLevel::error : ReportLevel::warning;
}

std::string place_words(const Finding& finding) {
  if (finding.op.name.empty()) return {};
  std::string text = printable(finding.op.name);
  if (finding.ops.size() > 1) {
    text += fmt::format(" and {}", counted(finding.ops.size() - 1, "more op"));
  }
  return text;
}

std::string share_words(const Finding& finding, HowFound said) {
  if (!finding.output_share) return {};
  const auto& [low, high] = finding.output_share_interval.value_or(std::array{0.0, 1.0});
  const std::string interval = fmt::format("{} to {}", whole_percent(low), whole_percent(high));
  const bool is_everywhere = said == HowFound::everywhere;
  std::string how = finding.share_is_measured ? ", measured" : ", estimated";
  if (finding.share_samples > 0)
    how += fmt::format(" over {}", counted(finding.share_samples, "sample"));
  constexpr double kNothing = 0.005;  // what is told as 0 %
  if (*finding.output_share < kNothing) {
    return fmt::format("in float {} ({} % of the error gone{})",
                       high <= 0 ? "it takes nothing away" : "no gain can be told", interval,
                       is_everywhere ? how : "");
  }
  if (finding.share_is_measured && !is_everywhere) how = "";
  return fmt::format("{:.0f} % of the error ({}{}){}", 100 * *finding.output_share, interval, how,
                     finding.tied_with_previous ? ", tied with the one above" : "");
}

std::string tried_words(const Finding& finding, bool is_first, HowFound said) {
  if (!finding.measured_gain) return {};
  const auto& [low, high] = finding.measured_gain_interval.value_or(std::array{-1.0, 1.0});
  const double gain = *finding.measured_gain;
  const char* const which = is_first ? "tried" : "tried with those above";
  const char* const how = said == HowFound::everywhere ? ", measured" : "";
  if (low <= 0 && high >= 0) {
    return fmt::format("{}: no gain that these samples could tell ({} to {} % of the error gone{})",
                       which, whole_percent(low), whole_percent(high), how);
  }
  return fmt::format("{}: {} % {} ({} to {}{})", which, whole_percent(std::abs(gain)),
                     gain < 0 ? "more error" : "of the error gone",
                     whole_percent(gain < 0 ? -high : low), whole_percent(gain < 0 ? -low : high),
                     how);
}

std::string reasons_words(const Finding& finding) {
  return unwrapped(text_of(finding.reasons));
}

std::string file_name_of(const std::string& path) {
  const std::filesystem::path plain(path);
  return (plain.has_filename() ? plain : plain.parent_path()).filename().string();
}

}  // namespace quantlens
