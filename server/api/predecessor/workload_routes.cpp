// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/workload_routes.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/predecessor/ids.h"
#include "server/api/run_routes.h"

namespace quantlens::server::predecessor {
namespace {

/// ratio = (optimized - baseline) / baseline.
struct AccuracyData {
  std::optional<double> baseline_accuracy, optimized_accuracy, ratio;
};
BOOST_DESCRIBE_STRUCT(AccuracyData, (), (baseline_accuracy, optimized_accuracy, ratio))

BOOST_DEFINE_ENUM_CLASS(Mode, benchmark, quantization)

struct WorkloadEntry {
  std::string uuid;
  std::string workload_name;
  std::string framework = "ONNXRT";
  std::string workload_location;
  Mode mode = Mode::quantization;
  std::string model_path;
  std::optional<std::string> model_summary_file;
  WorkloadState status = WorkloadState::new_;
  std::int64_t creation_time = 0;  ///< seconds since 1970
  AccuracyData accuracy_data;
};
BOOST_DESCRIBE_STRUCT(WorkloadEntry, (),
                      (uuid, workload_name, framework, workload_location, mode, model_path,
                       model_summary_file, status, creation_time, accuracy_data))

struct WorkloadEntries {
  std::vector<WorkloadEntry> workloads;  ///< in the order of their making
};
BOOST_DESCRIBE_STRUCT(WorkloadEntries, (), (workloads))

struct Deleted {
  std::string workload_id;
};
BOOST_DESCRIBE_STRUCT(Deleted, (), (workload_id))

/// The predecessors' profiling_data.json.
struct ProfilingRow {
  std::string node_name;
  double total_execution_time = 0, accelerator_execution_time = 0, cpu_execution_time = 0;
  std::int64_t op_run = 0, op_defined = 0;
};
BOOST_DESCRIBE_STRUCT(ProfilingRow, (),
                      (node_name, total_execution_time, accelerator_execution_time,
                       cpu_execution_time, op_run, op_defined))

/// A number of fixed digits inside a time; 0 where there is none.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  if (text.size() < at + count) return 0;
  const auto part = text.substr(at, count);
  std::from_chars(part.data(), part.data() + part.size(), value);
  return value;
}

/// Of "2026-11-21T11:30:45.123Z"; 0 of what is no such time.
std::int64_t seconds_of(std::string_view utc) {
  using std::chrono::day, std::chrono::month, std::chrono::year;
  const std::chrono::year_month_day date{year(digits(utc, 0, 4)),
                                         month(static_cast<unsigned>(digits(utc, 5, 2))),
                                         day(static_cast<unsigned>(digits(utc, 8, 2)))};
  if (!date.ok()) return 0;
  constexpr std::int64_t kDay = 86400, kHour = 3600, kMinute = 60;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * kDay + digits(utc, 11, 2) * kHour + digits(utc, 14, 2) * kMinute +
         digits(utc, 17, 2);
}

AccuracyData accuracy_of(const std::optional<AccuracySummary>& summary) {
  AccuracyData data;
  if (!summary) return data;
  data.baseline_accuracy = summary->reference;
  data.optimized_accuracy = summary->quantized;
  const bool has_both = summary->reference && summary->quantized && *summary->reference != 0 &&
                        *summary->quantized != 0;
  if (has_both) data.ratio = (*summary->quantized - *summary->reference) / *summary->reference;
  return data;
}

WorkloadEntry entry_of(const Run& run) {
  const RunSummary& summary = run.summary;
  WorkloadEntry entry{.uuid = summary.id,
                      .workload_name = summary.name.empty() ? summary.id : summary.name,
                      .workload_location = run.folder.string(),
                      .model_path = {},
                      .model_summary_file = {},
                      .status = summary.state,
                      .creation_time = seconds_of(summary.created),
                      .accuracy_data = accuracy_of(summary.accuracy)};
  if (summary.verb == "profile" || summary.verb == "benchmark") entry.mode = Mode::benchmark;
  if (!summary.models.empty()) entry.model_path = summary.models.front().path;
  return entry;
}

}  // namespace

Answer workloads(Context& context, const Call&) {
  std::vector<Runs::One> runs = context.runs.all();
  Answer answer;
  answer.state = ".";  // so that an empty workspace has one
  for (const Runs::One& run : runs) answer.state += run->state;
  answer.make = [runs = std::move(runs)] {
    WorkloadEntries entries;
    for (const Runs::One& run : runs) entries.workloads.push_back(entry_of(*run));
    std::ranges::reverse(entries.workloads);
    return compact(json::encode(entries));
  };
  return answer;
}

Answer delete_workload(Context& context, const Call& call) {
  const Runs::One run = run_of(context, call);
  if (auto refused = remove(context, *run)) return at_once(*std::move(refused));
  return json_at_once(json::encode(Deleted{run->summary.id}));
}

Answer profiling(Context& context, const Call& call) {
  const Runs::One run = run_of(context, call);
  const fs::path file = run->folder / exported::kProfile.data;
  Answer answer;
  answer.state = state_of(file);
  answer.make = [&context, file] {
    const std::optional<MappedFile> found = find_file(context.store, file);
    if (!found) throw Error(Errc::not_found, "Profiling data not found.");
    return compact(json::parse(found->text(), exported::kProfile.data));
  };
  return answer;
}

json::Value workloads_schema(Schemas& schemas) {
  return schemas.of<WorkloadEntries>();
}

json::Value deleted_schema(Schemas& schemas) {
  return schemas.of<Deleted>();
}

json::Value profiling_schema(Schemas& schemas) {
  return schemas.of<std::vector<ProfilingRow>>();
}

}  // namespace quantlens::server::predecessor
