// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/export_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/written_file.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/stored/unfinished.h"
#include "quantlens/frontend/annotations.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/report/all_tables.h"
#include "quantlens/report/channel_rows.h"
#include "quantlens/report/histogram_rows.h"
#include "quantlens/report/model_explorer.h"
#include "quantlens/report/node_figures.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::flow {
namespace {

/// What a folder is called while it is filled, besides the process: by it no other is removed.
constexpr std::string_view kOurFolder = ".quantlens";

constexpr std::string_view kHistogramTable = "histograms.csv";
constexpr std::uint64_t kLargeBytes = 100'000'000;

/// Of one tensor, in CSV.
struct TensorLines {
  std::string bins, channels;
};

/// What is stored of single nodes besides the run's records.
struct NodeRecords {
  std::optional<Pairing> pairing;
  std::optional<QuantizedOutline> quantized;

  std::vector<NodeFigures> figures(const RunRecords& records, ModelRole of) const {
    return node_figures({.records = records,
                         .pairing = pairing ? &*pairing : nullptr,
                         .quantized = quantized ? &*quantized : nullptr},
                        of);
  }
};

class RunExport {
 public:
  RunExport(Store& store, const Workspace& workspace, const RunRecords& records,
            const ExportOptions& options, Cores& cores, Progress& progress)
      : store_(store),
        workspace_(workspace),
        folder_(workspace.folder(records.run.id)),
        records_(records),
        reader_(store, folder_),
        part_(kept_part(records)),
        options_(options),
        cores_(cores),
        progress_(progress) {}

  fs::path write() {
    switch (options_.format) {
      case ExportFormat::model_explorer:
        return write_node_data();
      case ExportFormat::netron:
        return write_annotated_copy();
      case ExportFormat::perfetto:
        return write_trace();
      case ExportFormat::csv:
        break;
    }
    return write_tables();
  }

 private:
  fs::path output_or(const std::string& usual) const {
    if (options_.output.empty()) return usual;
    // "folder/" is that folder.
    return options_.output.has_filename() ? options_.output : options_.output.parent_path();
  }

  [[noreturn]] static void refuse_folder(const fs::path& output) {
    throw Error(Errc::usage, fmt::format("{}: is there already; name another folder with -o",
                                         printable(output.string())));
  }

  /// Fills a folder beside `output` and gives it that name in the end.
  template <class Fill>
  fs::path write_folder(fs::path output, Fill&& fill) {
    if (!output.has_filename()) output = output.parent_path();  // "tables/"
    if (fs::exists(fs::symlink_status(output))) refuse_folder(output);
    remove_leftovers(output);
    fs::path made = output;
    made += std::string(kOurFolder) + unfinished_ending();
    const ScratchFolder scratch(store_, made);
    fill(scratch.path());
    check_still_there(store_, workspace_, records_.run.id);
    std::error_code failed;
    fs::rename(made, output, failed);
    // Another process may have made it meanwhile.
    if (failed && fs::exists(fs::symlink_status(output))) refuse_folder(output);
    if (failed) {
      throw Error(Errc::io, fmt::format("{}: cannot be made: {}; name another folder with -o",
                                        printable(output.string()), failed.message()));
    }
    return output;
  }

  /// What exports into this folder have left that were killed.
  void remove_leftovers(const fs::path& output) {
    const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    const std::string ours = output.filename().string() + std::string(kOurFolder);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) return;
    for (const std::string& name : store_.list(folder)) {
      const std::string_view process = process_in(name);
      if (name.starts_with(ours) && !process.empty() && !is_running(process))
        store_.remove(folder / name);
    }
  }

  NodeRecords node_records() const {
    return {reader_.get<Pairing>(part_), reader_.get<QuantizedOutline>()};
  }

  fs::path write_node_data() {
    const NodeRecords nodes = node_records();
    std::vector<std::pair<std::string, std::vector<NodeDataFile>>> sets;
    if (const auto graph = reader_.get<GraphOutline>())
      sets.emplace_back(
          "reference", model_explorer_files(*graph, nodes.figures(records_, ModelRole::reference)));
    if (nodes.quantized)
      sets.emplace_back(
          "quantized",
          model_explorer_files(*nodes.quantized, nodes.figures(records_, ModelRole::quantized)));
    std::erase_if(sets, [](const auto& set) { return set.second.empty(); });
    if (sets.empty()) refuse_without_figures();
    return write_folder(output_or("model-explorer"), [&](const fs::path& folder) {
      for (const auto& [model, files] : sets)
        for (const NodeDataFile& file : files)
          write_atomic(store_, folder / fmt::format("{}_{}", model, file.name), file.json);
    });
  }

  [[noreturn]] void refuse_without_figures() const {
    throw Error(Errc::unsupported,
                fmt::format("{} found nothing of single nodes; name a run of quantize, diagnose, "
                            "tune or profile",
                            records_.run.id));
  }

  fs::path write_tables() {
    const std::vector<NamedTable> tables = all_tables(
        records_, {reader_.get<Pairing>(part_), reader_.get<Ranges>(), reader_.get<Prices>()});
    const fs::path histograms = reader_.path<Histograms>(part_);
    const std::optional<MappedFile> counted = find_file(store_, histograms);
    if (!counted && records_.diagnosis) {
      progress_.note(fmt::format("{}: is not there, so there are no histograms",
                                 printable(histograms.string())));
    }
    if (tables.empty() && !counted) {
      throw Error(Errc::unsupported,
                  fmt::format("{} has no tables; name a run that ended well", records_.run.id));
    }
    return write_folder(output_or("csv"), [&](const fs::path& folder) {
      for (const NamedTable& one : tables)
        write_atomic(store_, folder / one.file, to_csv(one.table));
      if (counted) write_tensors(*counted, histograms, folder);
    });
  }

  /// All cores make some tensors' lines at a time, so that memory does not grow with their number.
  void write_tensors(const MappedFile& file, const fs::path& path, const fs::path& folder) {
    const HistogramsReader reader(file.text(), printable(path.string()));
    const bool with_bins = options_.histograms;
    const std::unique_ptr<FileWriter> bins =
        with_bins ? store_.create(folder / kHistogramTable) : nullptr;
    const std::unique_ptr<FileWriter> channels = store_.create(folder / "channels.csv");
    std::uint64_t bytes = 0;  // of histograms
    const auto write = [](FileWriter& writer, const std::string& text) {
      writer.write({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    };
    const std::vector<PairEntry>& entries = reader.entries();
    const ProgressStep step(progress_, "write histograms", entries.size());
    if (bins) write(*bins, histogram_header());
    write(*channels, channel_header());
    constexpr std::size_t kAtOnce = 32;
    make_in_order(
        cores_, entries.size(), kAtOnce,
        [&](std::size_t i) {
          const auto pair = reader.find(entries[i].reference, entries[i].quantized);
          if (!pair) return TensorLines();
          return TensorLines{with_bins ? histogram_rows(*pair) : std::string(),
                             channel_rows(*pair)};
        },
        [&](std::size_t, const TensorLines& lines) {
          throw_if_stopped(progress_);
          if (bins) write(*bins, lines.bins);
          bytes += lines.bins.size();
          write(*channels, lines.channels);
          progress_.advance(1);
        });
    if (bins) bins->commit();
    channels->commit();
    if (bytes < kLargeBytes) return;
    progress_.note(fmt::format("{} has {}; --no-histograms leaves it out", kHistogramTable,
                               human_bytes(bytes)));
  }

  fs::path write_trace() {
    const bool is_quantized = options_.model == ModelRole::quantized;
    const fs::path trace(is_quantized ? exported::kQuantizedProfile.trace
                                      : exported::kProfile.trace);
    const std::optional<MappedFile> file = find_file(store_, folder_ / trace);
    if (!file) {
      throw Error(
          Errc::unsupported,
          fmt::format("{} has no trace of that model; name a run of profile", records_.run.id));
    }
    fs::path output = output_or(trace.string());
    check_destination({.path = output, .is_model = false}, {});
    write_atomic(store_, output, file->text());
    return output;
  }

  const ModelFile& chosen_model() const {
    const ModelFile* model = nullptr;
    if (options_.model) {
      model = file_of(records_.run, *options_.model);
    } else {
      model = file_of(records_.run, ModelRole::quantized);
      if (model == nullptr) model = file_of(records_.run, ModelRole::reference);
    }
    if (model != nullptr) return *model;
    throw Error(Errc::unsupported,
                fmt::format("{} has no such model; choose another with --model", records_.run.id));
  }

  fs::path write_annotated_copy() {
    const ModelFile& model = chosen_model();
    const fs::path path(model.path);
    const MappedFile file = MappedFile::open(path);
    if (sha256_hex(file.text()) != model.sha256) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: is no longer the file that {} saw; run that again",
                              printable(path.string()), records_.run.id));
    }
    fs::path output =
        written_file(output_or(path.stem().string() + ".netron" + path.extension().string()));
    check_destination({.path = output}, {.model = nullptr, .files = {path}, .data = {}});
    check_external_data(path, output);
    frontend::write_annotated(path, file, notes_for_netron(model.role), store_, output);
    return output;
  }

  static void check_external_data(const fs::path& model, const fs::path& output) {
    if (frontend::named_in(model).empty()) return;
    const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    std::error_code failed;
    if (fs::equivalent(folder, model.parent_path(), failed)) return;
    throw Error(Errc::usage,
                fmt::format("{}: its weights are in files beside it, which a copy elsewhere would "
                            "not find; name a file in the same folder with -o",
                            printable(model.string())));
  }

  Annotations notes_for_netron(ModelRole role) const {
    Annotations notes;
    for (const NodeFigures& node : node_records().figures(records_, role)) {
      NotesOfNode told = notes_of_figures(node);
      if (!told.empty()) notes.nodes.emplace(node.output, std::move(told));
    }
    if (notes.nodes.empty()) refuse_without_figures();
    notes.model = {{"quantlens.verdict", valid_utf8(verdict_line(records_))},
                   {"quantlens.run", records_.run.id}};
    return notes;
  }

  Store& store_;
  const Workspace& workspace_;
  fs::path folder_;
  const RunRecords& records_;
  WorkloadReader reader_;
  std::string part_;  // where it keeps what it compared
  const ExportOptions& options_;
  Cores& cores_;
  Progress& progress_;
};

}  // namespace

fs::path export_run(Store& store, const Workspace& workspace, const std::string& id,
                    const ExportOptions& options, Progress& progress) {
  Cores cores;
  const RunRecords records = read_run(store, workspace, id, &cores);
  check_ended(records.run.id, records.run.state, "ask for");
  if (const std::string note = unfinished_note(records.run); !note.empty()) progress.note(note);
  const bool has_models =
      options.format == ExportFormat::netron || options.format == ExportFormat::perfetto;
  if (options.model && !has_models)
    throw Error(Errc::usage, "--model goes with --as netron and --as perfetto; leave it out");
  if (!options.histograms && options.format != ExportFormat::csv)
    throw Error(Errc::usage, "--no-histograms goes with --as csv; leave it out");
  return RunExport(store, workspace, records, options, cores, progress).write();
}

}  // namespace quantlens::flow
