// SPDX-License-Identifier: Apache-2.0
#include "server/offline/report_data.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/percent_encoding.h"
#include "quantlens/compare/compare.h"
#include "quantlens/record/files.h"
#include "quantlens/report/comparison_text.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/read_run.h"
#include "server/api/channel_figures.h"
#include "server/api/histogram_routes.h"
#include "server/api/record_table.h"
#include "server/api/row_index.h"
#include "server/api/shown_run.h"
#include "server/compact.h"
#include "server/offline/op_answers.h"
#include "server/offline/record_faults.h"

namespace quantlens::server {
namespace {

constexpr int kDigits = 6;         // of reals, as the pages ask for them
constexpr int kChannelDigits = 3;  // of channels' figures: most of a report where these are many
constexpr unsigned kDone = 200, kNothing = 404;

/// Lists that pages show as tables. Those that a run does not have are left out.
constexpr std::string_view kLists[] = {"diagnosis.activations",
                                       "diagnosis.weights",
                                       "graph.inputs",
                                       "graph.ops",
                                       "graph.outputs",
                                       "graph.values",
                                       "graph.weights",
                                       "graph_quantized.inputs",
                                       "graph_quantized.ops",
                                       "graph_quantized.outputs",
                                       "graph_quantized.values",
                                       "graph_quantized.weights",
                                       "pairing.pairs",
                                       "plan.activations",
                                       "plan.ops",
                                       "plan.weights_quantized",
                                       "profile.ops",
                                       "profile.quantized.nodes",
                                       "profile.quantized.types",
                                       "profile.reference.nodes",
                                       "profile.reference.types",
                                       "study.trials"};
constexpr std::string_view kRecords[] = {"accuracy", "prices", "profile", "ranges",
                                         "recipe",   "study",  "times"};

/// How finely a report shows what is counted, by how many tensors there are, so that it stays a
/// file that people send: a pair of a hundred is about a kilobyte, of ten thousand a quarter of it.
struct Fineness {
  std::size_t tensors;  ///< at most
  std::uint64_t bins, channels;
};
constexpr Fineness kFineness[] = {
    {100, 250, 1024}, {400, 125, 256}, {2000, 60, 64}, {SIZE_MAX, 30, 16}};

const Fineness& fineness_of(std::size_t tensors) {
  const Fineness* fineness = kFineness;
  while (tensors > fineness->tensors) ++fineness;
  return *fineness;
}

void round_reals(json::Value& value, int digits = kDigits) {
  if (double* real = value.if_double(); real != nullptr && std::isfinite(*real)) {
    const std::string text = fmt::format("{:.{}g}", *real, digits);
    std::from_chars(text.data(), text.data() + text.size(), *real);
  } else if (auto* list = value.if_array()) {
    for (json::Value& one : *list) round_reals(one, digits);
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) round_reals(member.value(), digits);
  }
}

/// A run without what people say of it among themselves.
json::Value without_labels(json::Value run) {
  const json::Value none = json::encode(RunLabels());
  for (const auto& member : none.as_object()) run.as_object()[member.key()] = member.value();
  return run;
}

std::string json_text(std::string_view text) {
  return compact(json::Value(boost::json::string(text)));
}

/// Asks as the pages do, and writes what is answered under the address that was asked.
class Collector {
 public:
  Collector(Api& api, const Store& store, const std::function<void(std::string_view)>& out)
      : api_(api), store_(store), out_(out) {}

  /// All answers but those of tables, as members of an object that is open. What cannot be read is
  /// left out, here and below.
  void add_answers(const std::string& id, RecordFaults& faults, Progress& progress);
  void add_tables(const std::string& id, RecordFaults& faults);
  /// What is different in each of two runs, seen from the other one. REQUIRES: `faults` of each.
  void add_comparisons(const std::vector<std::string>& ids, std::vector<RecordFaults>& faults);
  /// As the list of runs has it.
  json::Value listed(const std::string& id) const;
  void begin() { is_first_ = true; }
  void end() { out_("}"); }
  void add_member(const std::string& name, std::string_view value);

 private:
  std::optional<std::string> ask(const std::string& path, const Pairs& query = {}) const;
  void add_value(const std::string& address, json::Value value, int digits = kDigits);
  void add_records(const std::string& path, const Run& run, RecordFaults& faults);
  void add_ops(const std::string& path, const Run& run, RecordFaults& faults, Progress& progress);
  void add_counts(const std::string& path, const Run& run, RecordFaults& faults,
                  Progress& progress);

  Api& api_;
  const Store& store_;
  const std::function<void(std::string_view)>& out_;
  bool is_first_ = true;
};

/// Nothing where there is no such thing.
std::optional<std::string> Collector::ask(const std::string& path, const Pairs& query) const {
  const Response response =
      api_.answer({.method = "GET", .path = "/api/v1/" + path, .query = query, .headers = {}});
  const std::optional<std::string_view> bytes = bytes_of(response);
  if (response.status == kNothing) return std::nullopt;
  if (response.status != kDone || !bytes)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, bytes.value_or("it cannot be read")));
  return std::string(*bytes);
}

json::Value Collector::listed(const std::string& id) const {
  const std::optional<std::string> page = ask("workloads", {{"q", id}, {"limit", "1000"}});
  if (page) {
    const json::Value list = json::parse(*page, "workloads");
    for (const json::Value& run : list.at("workloads").as_array())
      if (run.at("id").as_string() == id) return without_labels(run);
  }
  throw Error(Errc::not_found, fmt::format("there is no workload '{}'", id));
}

void Collector::add_member(const std::string& name, std::string_view value) {
  out_(fmt::format("{}{}:", is_first_ ? "{" : ",", json_text(name)));
  out_(value);
  is_first_ = false;
}

void Collector::add_value(const std::string& address, json::Value value, int digits) {
  round_reals(value, digits);
  add_member(address, compact(value));
}

void Collector::add_records(const std::string& path, const Run& run, RecordFaults& faults) {
  for (const std::string_view name : kRecords) {
    const std::string_view file = json_record(name).file;
    if (!faults.is_sound(file)) continue;
    if (std::optional<json::Value> head = read_head(store_, run.folder / file))
      add_value(fmt::format("{}/records/{}", path, name), *std::move(head));
  }
}

void Collector::add_ops(const std::string& path, const Run& run, RecordFaults& faults,
                        Progress& progress) {
  const OpAnswers ops(store_, run.folder, faults);
  const ProgressStep step(progress, "ops", ops.ids().size());
  for (const std::string& op : ops.ids()) {
    throw_if_stopped(progress);
    add_value(path + "/ops?op=" + percent_encoded(op), ops.of(op));
    progress.advance(1);
  }
}

/// Counts without what follows from the rest: edges are equally far apart, so that the first and
/// the last tell them all, and a report has no counts of single channels.
json::Value without_repetition(json::Value counts) {
  auto& members = counts.as_object();
  members["channels"] = boost::json::array();
  boost::json::array& edges = members["edges"].as_array();
  if (edges.size() > 2) edges = {edges.front(), edges.back()};
  return counts;
}

void Collector::add_counts(const std::string& path, const Run& run, RecordFaults& faults,
                           Progress& progress) {
  constexpr std::string_view kFile = FileOf<Histograms>::kName;
  try {
    const std::optional<MappedFile> file = find_file(store_, run.folder / kFile);
    if (!file) return;
    const HistogramsReader reader(file->text(), kFile);  // its index is read once
    const Fineness& fineness = fineness_of(reader.entries().size());
    const ProgressStep step(progress, "histograms", reader.entries().size());
    for (const PairEntry& entry : reader.entries()) {
      throw_if_stopped(progress);
      const std::optional<PairedStats> pair = reader.find(entry.reference, entry.quantized);
      if (!pair) continue;
      const std::string names =
          fmt::format("?reference={}&quantized={}", percent_encoded(entry.reference),
                      percent_encoded(entry.quantized));
      const CountedPair counted = counted_pair(api_.context(), run, *pair, std::nullopt);
      add_value(fmt::format("{}/histograms/pair{}", path, names),
                without_repetition(
                    histogram_of(counted, entry.reference, entry.quantized, fineness.bins)));
      ChannelFigures figures = channel_figures(*pair, 0, fineness.channels);
      figures.histograms.clear();
      add_value(fmt::format("{}/histograms/channels{}", path, names), json::encode(figures),
                kChannelDigits);
      progress.advance(1);
    }
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    faults.add(kFile, error);
  }
}

void Collector::add_answers(const std::string& id, RecordFaults& faults, Progress& progress) {
  const std::string path = "workloads/" + id;
  const Runs::One run = api_.runs().find(id);
  add_value(path, without_labels(json::encode(shown_run(api_.context(), *run))));
  add_records(path, *run, faults);
  add_ops(path, *run, faults, progress);
  add_counts(path, *run, faults, progress);
}

/// As the server answers for all rows. Columns are whole, "op" instead of "op.id": the pages take
/// parts out.
std::string whole_table(const TableReader& table) {
  std::string text = fmt::format(R"({{"rows":{0},"offset":0,"count":{0},"columns":)", table.size());
  std::set<std::string> columns;
  for (const std::string& column : table.columns())
    columns.insert(column.substr(0, column.find('.')));
  char before = '{';
  for (const std::string& column : columns) {
    json::Value cells(table.column(column, 0, table.size()));
    round_reals(cells);
    text += before + json_text(column) + ":" + compact(cells);
    before = ',';
  }
  return text + (before == '{' ? "{}}" : "}}");
}

void Collector::add_tables(const std::string& id, RecordFaults& faults) {
  const fs::path folder = api_.runs().find(id)->folder;
  for (const std::string_view list : kLists) {
    const std::size_t dot = list.find('.');
    const std::string_view file = json_record(list.substr(0, dot)).file;
    if (!faults.is_sound(file)) continue;
    try {
      const TableReader table = TableReader::open(store_, folder / file, list.substr(dot + 1));
      add_member(fmt::format("workloads/{}/tables/{}", id, list), whole_table(table));
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) faults.add(file, error);
    }
  }
}

void Collector::add_comparisons(const std::vector<std::string>& ids,
                                std::vector<RecordFaults>& faults) {
  if (ids.size() < 2) return;
  try {
    std::vector<RunToCompare> runs;
    runs.reserve(ids.size());
    for (const std::string& id : ids)
      runs.push_back(read_run_to_compare(store_, api_.context().workspace, id));
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 0}}) {
      add_value(fmt::format("workloads/{}/compare?other={}", ids[a], percent_encoded(ids[b])),
                comparison_json(compare(runs[a], runs[b])));
    }
  } catch (const Error& error) {
    for (RecordFaults& one : faults) one.add("comparison", error);
  }
}

}  // namespace

std::vector<LeftOut> write_report_data(Api& api, const Store& store, const ReportData& report,
                                       Progress& progress,
                                       const std::function<void(std::string_view)>& out) {
  Collector collector(api, store, out);
  std::vector<RecordFaults> faults;
  for (const std::string& id : report.ids) faults.emplace_back(store, api.runs().find(id)->folder);
  out(fmt::format(R"({{"format":1,"made":{},"version":{},"runs":)", json_text(report.made),
                  json_text(report.version)));
  out(compact(json::encode(report.ids)));
  out(R"(,"workloads":)");
  boost::json::array listed;
  for (const std::string& id : report.ids) listed.push_back(collector.listed(id));
  out(compact(listed));
  out(R"(,"gates":)");
  out(compact(json::encode(report.gates)));
  out(report.compared ? R"(,"compared":true,"answers":)" : R"(,"compared":false,"answers":)");
  collector.begin();
  for (std::size_t i = 0; i < report.ids.size(); ++i)
    collector.add_answers(report.ids[i], faults[i], progress);
  collector.add_comparisons(report.ids, faults);
  collector.end();
  out(R"(,"tables":)");
  collector.begin();
  for (std::size_t i = 0; i < report.ids.size(); ++i)
    collector.add_tables(report.ids[i], faults[i]);
  collector.end();
  std::vector<LeftOut> left_out;
  for (std::size_t i = 0; i < report.ids.size(); ++i)
    for (std::string& sentence : faults[i].sentences())
      left_out.push_back({.workload = report.ids[i], .because = std::move(sentence)});
  out(R"(,"left_out":)");
  out(compact(json::encode(left_out)));
  out("}");
  return left_out;
}

}  // namespace quantlens::server
