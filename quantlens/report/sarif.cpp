// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/sarif.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "quantlens/base/json.h"
#include "quantlens/base/percent_encoding.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/rule_text.h"

namespace quantlens {
namespace {

/// One that a reader of SARIF shows as it stands: braces are doubled, and no brackets make a link.
boost::json::object message_of(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '{' || c == '}') safe += c;
    if (c == '[' || c == ']') safe += '\\';
    safe += c;
  }
  return {{"text", safe}};
}

/// Relative to a place that is not told; empty where the run has no model.
std::string uri_of_model(const Workload& run) {
  const ModelFile* model = file_of(run, ModelRole::reference);
  if (model == nullptr && !run.models.empty()) model = &run.models.front();
  if (model == nullptr) return {};
  const std::filesystem::path path = std::filesystem::path(model->path).lexically_normal();
  const bool is_below = path.is_relative() && !path.empty() && *path.begin() != "..";
  return percent_encoded(is_below ? path.generic_string() : file_name_of(model->path), "~/");
}

/// Nothing where there is neither a model nor an op.
boost::json::array locations_of(const std::string& uri, const OpRef& op) {
  boost::json::object location;
  if (!uri.empty()) {
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri}}},
                                    {"region", {{"startLine", 1}}}};
  }
  if (!op.name.empty()) {
    const std::string& id = op.id.empty() ? op.name : op.id;
    location["logicalLocations"] = boost::json::array{boost::json::object{
        {"name", printable(op.name)}, {"fullyQualifiedName", printable(id)}, {"kind", "function"}}};
  }
  return location.empty() ? boost::json::array{} : boost::json::array{std::move(location)};
}

/// The results of a run and the rules that they name.
class SarifResults {
 public:
  explicit SarifResults(std::string uri) : uri_(std::move(uri)) {}

  /// The result, to be added to. Stays valid until the next one.
  boost::json::object& add(const std::string& rule, ReportLevel level, const std::string& text,
                           const OpRef& op) {
    // GitHub's hashes have a number behind them, too, which tells equal ones apart.
    const std::string hash = sha256_hex(rule + '\n' + op.id);
    boost::json::object result{{"ruleId", valid_utf8(rule)},
                               {"ruleIndex", index_of(rule)},
                               {"level", word_of(level)},
                               {"message", message_of(text)}};
    result["locations"] = locations_of(uri_, op);
    result["partialFingerprints"] = {
        {"primaryLocationLineHash", fmt::format("{}:{}", hash, repeats_.number(hash))}};
    return results_.emplace_back(std::move(result)).get_object();
  }

  boost::json::array take_results() { return std::move(results_); }
  boost::json::array take_rules() { return std::move(rules_); }

 private:
  static const char* word_of(ReportLevel level) {
    if (level == ReportLevel::error) return "error";
    return level == ReportLevel::warning ? "warning" : "note";
  }

  std::size_t index_of(const std::string& rule) {
    const auto found = std::ranges::find(names_, rule);
    const auto index = static_cast<std::size_t>(found - names_.begin());
    if (found != names_.end()) return index;
    names_.push_back(rule);
    rules_.push_back(boost::json::object{{"id", valid_utf8(rule)},
                                         {"shortDescription", {{"text", rule_text(rule)}}}});
    return index;
  }

  std::string uri_;
  std::vector<std::string> names_;
  boost::json::array results_, rules_;
  Repeats repeats_;
};

std::string finding_message(const Finding& finding) {
  const std::string place = place_words(finding);
  const std::string share = share_words(finding);
  return fmt::format("{}{}{}{}{}", place, place.empty() ? "" : ": ", reasons_words(finding),
                     share.empty() ? "" : "; ", share);
}

void add_properties(const Finding& finding, bool is_first_tried, boost::json::object& result) {
  boost::json::object properties{{"severity", word(finding.severity)}};
  if (!finding.remedy.is_null()) properties["remedy"] = finding.remedy;
  if (finding.measured_gain) properties["tried"] = tried_words(finding, is_first_tried);
  result["properties"] = std::move(properties);
}

boost::json::object driver_of(const Workload& run, boost::json::array rules) {
  boost::json::object driver{{"name", "quantlens"}};
  const auto version = run.environment.find("quantlens");
  if (version != run.environment.end()) driver["version"] = printable(version->second);
  driver["rules"] = std::move(rules);
  return driver;
}

boost::json::object invocation_of(const Workload& run) {
  boost::json::object invocation{{"executionSuccessful", run.state == WorkloadState::success}};
  if (!run.message.empty()) {
    invocation["toolExecutionNotifications"] = boost::json::array{
        boost::json::object{{"level", "error"}, {"message", message_of(run.message)}}};
  }
  return invocation;
}

}  // namespace

std::string sarif_json(const RunRecords& records, const std::vector<GateResult>& gates) {
  const std::string verdict = verdict_line(records);
  SarifResults results(uri_of_model(records.run));
  if (records.run.state != WorkloadState::success)
    results.add("run/failed", ReportLevel::error, verdict, {});  // no results would close alerts
  for (const GateResult& gate : gates) {
    if (gate.reached) continue;
    results.add("gate/" + gate.id, ReportLevel::error,
                fmt::format("{} is missed: {}. {}", gate.asks, gate.because, verdict), {});
  }
  bool is_first_tried = true;
  for (const Finding& finding : reported_findings(records)) {
    boost::json::object& result = results.add(finding.rule, report_level(finding, gates),
                                              finding_message(finding), finding.op);
    add_properties(finding, is_first_tried, result);
    if (finding.measured_gain) is_first_tried = false;
  }
  boost::json::object run{
      {"tool", {{"driver", driver_of(records.run, results.take_rules())}}},
      {"invocations", boost::json::array{invocation_of(records.run)}},
      {"results", results.take_results()},
      {"properties", {{"workload", printable(records.run.id)}, {"verdict", verdict}}}};
  return json::dump(
      boost::json::object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                          {"version", "2.1.0"},
                          {"runs", boost::json::array{std::move(run)}}});
}

}  // namespace quantlens
