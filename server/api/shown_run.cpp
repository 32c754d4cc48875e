// SPDX-License-Identifier: Apache-2.0
#include "server/api/shown_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/words.h"
#include "quantlens/record/op_counts.h"
#include "quantlens/workspace/read_folder.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/answer.h"
#include "server/api/record_table.h"
#include "server/api/row_index.h"

namespace quantlens::server {
namespace {

/// Statistics have to be read as a whole for two figures of theirs.
constexpr std::uintmax_t kMostStatistics = std::uintmax_t{32} << 20;

/// Reads records without their long lists, and notes these.
class Heads {
 public:
  Heads(const Store& store, const fs::path& folder) : store_(store), folder_(folder) {}

  template <class Record>
  std::optional<Record> get() {
    const fs::path file = folder_ / FileOf<Record>::kName;
    std::optional<json::Value> head = read_head(store_, file);
    if (!head) return std::nullopt;
    record_ = FileOf<Record>::kName.substr(0, FileOf<Record>::kName.find('.'));
    take_lists(*head, "");
    return from_value<Record>(*head, FileOf<Record>::kName);
  }
  std::vector<ListElsewhere> take() { return std::move(lists_); }

 private:
  /// The list itself becomes empty.
  void take_lists(json::Value& value, const std::string& path) {
    auto* object = value.if_object();
    if (object == nullptr) return;
    const json::Value* rows = object->if_contains("rows");
    const bool is_list = object->size() == 2 && rows != nullptr && object->contains("stamp");
    if (is_list && rows->is_number()) {
      lists_.push_back({.record = record_, .list = path, .rows = rows->to_number<std::uint64_t>()});
      value = boost::json::array();
      return;
    }
    for (auto& member : *object) {
      const std::string inside(member.key());
      take_lists(member.value(), path.empty() ? inside : fmt::format("{}.{}", path, inside));
    }
  }

  const Store& store_;
  const fs::path& folder_;
  std::string record_;
  std::vector<ListElsewhere> lists_;
};

std::optional<StatisticsSummary> statistics(const Store& store, const fs::path& folder) {
  const std::optional<MappedFile> file = find_file(store, folder / FileOf<TapState>::kName);
  if (!file || file->bytes().size() > kMostStatistics) return std::nullopt;
  return summary_of(from_file<TapState>(file->text(), FileOf<TapState>::kName),
                    folder / FileOf<TapState>::kName);
}

/// One whose best trial is not among its trials is told as if it had none yet.
std::optional<Study> sound(std::optional<Study> study) {
  if (!study) return study;
  const bool is_sound = !study->best || (*study->best >= 1 && *study->best <= study->trials.size());
  if (!is_sound) {
    throw Error(Errc::bad_input,
                "study.json: its trials do not go together; it is damaged, so run "
                "tune again");
  }
  return study;
}

RunRecords records_of(Heads& heads, const Store& store, const Workload& run, const Run& where) {
  RunRecords records;
  records.run = run;
  records.plan = heads.get<Plan>();
  records.float_edit = heads.get<FloatEdit>();
  records.diagnosis = heads.get<Diagnosis>();
  records.accuracy = heads.get<AccuracyRecord>();
  records.study = sound(heads.get<Study>());
  records.times = heads.get<StudyTimes>().value_or(StudyTimes());
  records.profile = heads.get<ProfileRecord>();
  records.benchmark = heads.get<Benchmark>();
  if (run.verb == "calibrate") records.statistics = statistics(store, where.folder);
  return records;
}

/// The plan's ops are counted: where they are elsewhere, by two columns of theirs.
void count_ops(const Store& store, const Run& run, const std::vector<ListElsewhere>& lists,
               json::Value& result) {
  const auto* object = result.if_object();
  const bool is_elsewhere = std::ranges::any_of(
      lists, [](const ListElsewhere& one) { return one.record == "plan" && one.list == "ops"; });
  if (object == nullptr || !object->contains("ops_quantized") || !is_elsewhere) return;
  const TableReader ops = TableReader::open(store, run.folder / FileOf<Plan>::kName, "ops");
  const boost::json::array kinds = ops.column("kind", 0, ops.size());
  const boost::json::array flags = ops.column("quantized", 0, ops.size());
  OpCounts counts;
  for (std::size_t i = 0; i < std::min(kinds.size(), flags.size()); ++i)
    counts.add(kinds[i] == json::Value(word(Kind::constant)) ? Kind::constant : Kind::other,
               flags[i] == json::Value(true));
  result.as_object()["ops_quantized"] = counts.quantized;
  result.as_object()["ops_float"] = counts.in_float;
}

/// What is read for the answer, which no link may stand for.
bool is_record(const std::string& name) {
  return name.ends_with(".rows") || name == kChannels ||
         std::ranges::any_of(record_kinds(), [&](const RecordKind& kind) {
           return kind.file == name || packed(kind.file) == name;
         });
}

}  // namespace

std::string state_of_folder(const Context& context, const Run& run) {
  std::string state;
  for (const std::string& name : context.store.list(run.folder)) {
    const fs::path file = run.folder / name;
    std::error_code ignored;
    state += name + "/";
    if (is_record(name) || fs::is_regular_file(fs::symlink_status(file, ignored)))
      state += state_of(file);
  }
  return state;
}

ShownRun shown_run(Context& context, const Run& run) {
  const Workload workload = context.workspace.find(run.summary.id);
  Heads heads(context.store, run.folder);
  ShownRun shown;
  const RunFolder folder = read_folder(context.store, context.workspace, workload);
  // Of one whose own record cannot be read, or that failed early, there is nothing more to tell.
  const bool is_readable = !workload.verb.empty();
  if (is_readable) {
    static_cast<KeptRun&>(shown) =
        kept_run(records_of(heads, context.store, workload, run), folder);
  } else {
    static_cast<Workload&>(shown) = workload;
    static_cast<RunFolder&>(shown) = folder;
  }
  shown.lists = heads.take();
  count_ops(context.store, run, shown.lists, shown.result);
  static_cast<RunLabels&>(shown) = context.labels.of(workload.id);
  return shown;
}

}  // namespace quantlens::server
