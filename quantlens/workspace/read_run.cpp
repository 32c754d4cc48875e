// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_run.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/kind.h"
#include "quantlens/record/histograms.h"
#include "quantlens/stats/pair_intervals.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens {
namespace {

/// What those who tell a search rely on: its trials are counted from 1, and name each other so.
void check(const Study& study, const fs::path& file) {
  const std::size_t count = study.trials.size();
  const auto is_there = [&](std::uint64_t number) { return number >= 1 && number <= count; };
  bool is_sound = !study.best || (is_there(*study.best) && study.trials[*study.best - 1].accuracy);
  std::uint64_t number = 0;
  for (const Trial& trial : study.trials) {
    const bool needs_accuracy = trial.judged == Judged::met || trial.judged == Judged::missed;
    is_sound &= trial.number == ++number && (!trial.same_as || is_there(*trial.same_as)) &&
                (!needs_accuracy || trial.accuracy);
  }
  if (is_sound) return;
  throw Error(Errc::bad_input,
              fmt::format("{}: its trials do not go together; it is damaged, so run tune again",
                          printable(file.string())));
}

/// `scope`: an op in a body is none of the model's own.
void count(std::string_view kind, std::string_view scope, LinkCounts& links) {
  if (!scope.empty()) return;
  if (kind == to_string(Kind::quantize)) ++links.quantize;
  if (kind == to_string(Kind::dequantize)) ++links.dequantize;
}

std::string_view text_of(const json::Value& cell) {
  const auto* text = cell.if_string();
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

/// Of the quantized model that a run stored; two columns of its graph tell them.
LinkCounts stored_links(const WorkloadReader& reader) {
  LinkCounts links;
  const std::optional<ListReader> ops = reader.list<QuantizedOutline>("ops");
  if (!ops) return links;
  const boost::json::array kinds = ops->column("kind", 0, ops->size());
  const boost::json::array scopes = ops->column("scope", 0, ops->size());
  for (std::size_t i = 0; i < std::min(kinds.size(), scopes.size()); ++i) {
    count(text_of(kinds[i]), text_of(scopes[i]), links);
  }
  return links;
}

/// The histograms of a run, mapped for as long as somebody asks for pairs.
struct OpenHistograms {
  OpenHistograms(MappedFile mapped, const std::string& where)
      : file(std::move(mapped)), reader(file.text(), where) {}
  MappedFile file;
  HistogramsReader reader;
};

void take_compared(const Store& store, const fs::path& path, RunToCompare& run) {
  std::optional<MappedFile> file = find_file(store, path);
  if (!file) return;
  try {
    const auto open =
        std::make_shared<const OpenHistograms>(std::move(*file), printable(path.string()));
    run.samples = open->reader.samples();
    run.find_sqnr = [open](std::string_view reference,
                           std::string_view quantized) -> std::optional<BlockFigure> {
      const std::optional<PairedStats> pair = open->reader.find(reference, quantized);
      return pair ? std::optional(PairIntervals(pair->pairs).sqnr_db()) : std::nullopt;
    };
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported) throw;
  }
}

/// Which samples the model that a search kept answers otherwise than the float model is not stored.
void take_kept_accuracy(RunRecords& records) {
  const Trial& kept = records.study->trials[*records.study->best - 1];
  if (records.accuracy || !kept.accuracy) return;
  records.accuracy = AccuracyRecord();
  records.accuracy->quantized = *kept.accuracy;
}

void read_others(const WorkloadReader& reader, RunRecords& records) {
  records.float_edit = reader.get<FloatEdit>();
  records.accuracy = reader.get<AccuracyRecord>();
  records.study = reader.get<Study>();
  if (records.study) check(*records.study, reader.path<Study>());
  records.times = reader.get<StudyTimes>().value_or(StudyTimes());
  records.profile = reader.get<ProfileRecord>();
  records.benchmark = reader.get<Benchmark>();
  if (records.run.verb == "calibrate") {
    if (const auto statistics = reader.get<TapState>())
      records.statistics = summary_of(*statistics, reader.path<TapState>());
  }
}

/// Parts 0 to n - 1, at the same time where there are cores for it.
template <class Read>
void in_parts(std::size_t n, const Read& read, Cores* cores) {
  if (cores != nullptr) return cores->parallel_for(n, read);
  for (std::size_t part = 0; part < n; ++part) read(part);
}

}  // namespace

LinkCounts links_of(const GraphOutline& graph) {
  LinkCounts links;
  for (const OpOutline& op : graph.ops) count(to_string(op.kind), op.scope, links);
  return links;
}

std::string kept_part(const RunRecords& records) {
  if (!records.study || !records.study->best) return {};
  return trial_folder(*records.study->best);
}

RunRecords read_run(const Store& store, const Workspace& workspace, const std::string& id,
                    Cores* cores) {
  RunRecords records;
  records.run = workspace.find_sound(id);
  const WorkloadReader reader(store, workspace.folder(id));
  const auto read_part = [&](std::size_t part) {
    switch (part) {
      case 0:
        records.diagnosis = reader.get<Diagnosis>();
        break;
      case 1:
        records.plan = reader.get<Plan>();
        if (records.plan) records.links = stored_links(reader);
        break;
      default:
        read_others(reader, records);
    }
  };
  in_parts(3, read_part, cores);
  const std::string part = kept_part(records);
  if (!part.empty() && !records.diagnosis) records.diagnosis = reader.get<Diagnosis>(part);
  return records;
}

void check_ended(const std::string& id, WorkloadState state, std::string_view what) {
  if (state != WorkloadState::new_ && state != WorkloadState::wip) return;
  throw Error(Errc::usage, fmt::format("{} has not ended; {} it when it has", id, what));
}

void check_still_there(const Store& store, const Workspace& workspace, const std::string& id) {
  if (find_file(store, workspace.folder(id) / FileOf<Workload>::kName)) return;
  throw Error(Errc::not_found,
              fmt::format("{} was deleted while it was read; name another run", printable(id)));
}

std::string unfinished_note(const Workload& run) {
  if (run.state == WorkloadState::success) return {};
  return fmt::format("{} did not end well: {}; what it had stored until then is used",
                     printable(run.id), printable(run.message));
}

RunToCompare read_run_to_compare(const Store& store, const Workspace& workspace,
                                 const std::string& id, Cores* cores) {
  const WorkloadReader reader(store, workspace.folder(id));
  RunToCompare run;
  run.records = read_run(store, workspace, id, cores);
  const std::string part = kept_part(run.records);
  if (!part.empty()) take_kept_accuracy(run.records);
  const auto read_part = [&](std::size_t one) {
    if (one == 0)
      run.graph = reader.get<GraphOutline>();
    else
      run.pairing = reader.get<Pairing>(part);
  };
  in_parts(2, read_part, cores);
  run.recipe = reader.get<Recipe>();
  run.scored = reader.get<AccuracyState>();
  take_compared(store, reader.path<Histograms>(part), run);
  return run;
}

}  // namespace quantlens
