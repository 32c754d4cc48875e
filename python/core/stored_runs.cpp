// SPDX-License-Identifier: Apache-2.0
// What is made of runs that are stored already.
#include <string>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "python/core/asked.h"
#include "python/core/compared.h"
#include "python/core/run.h"
#include "python/core/to_python.h"
#include "quantlens/base/error.h"
#include "quantlens/flow/compare.h"
#include "quantlens/flow/export_run.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/tensorboard.h"
#include "quantlens/flow/version.h"
#include "quantlens/workspace/read_list.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/write_comparison.h"
#include "server/offline/write_report.h"

namespace quantlens::python {
namespace {

/// Calls `work` with the workspace, and raises as verbs do.
template <class Work>
auto in_workspace(const Asked& asked, Work&& work) {
  using Result =
      decltype(work(std::declval<Store&>(), std::declval<Workspace&>(), std::declval<Progress&>()));
  const auto root = asked.get<fs::path>("workspace");
  std::optional<Result> result;
  run_verb(*asked.work(), [&](Progress& progress) {
    DiskStore store;
    Workspace workspace(store, root);
    result.emplace(work(store, workspace, progress));
  });
  return *std::move(result);
}

PythonRun open_run(const Asked& asked) {
  const auto id = asked.get<std::string>("run");
  return in_workspace(asked, [&](Store& store, Workspace& workspace, Progress&) {
    const std::string whole = workspace.find(id).id;
    PythonRun run{read_run(store, workspace, whole), workspace.folder(whole).string(), {}};
    if (const ModelFile* made = file_of(run.records.run, ModelRole::quantized))
      run.output = made->path;
    return run;
  });
}

nb::object list_runs(const Asked& asked) {
  return to_python(in_workspace(asked, [&](Store& store, Workspace& workspace, Progress&) {
    return read_list(store, workspace);
  }));
}

int delete_run(const Asked& asked) {
  const auto id = asked.get<std::string>("run");
  return in_workspace(asked, [&](Store&, Workspace& workspace, Progress&) {
    workspace.remove(id);
    return 0;
  });
}

/// Writes the file that `output` names, if it names one.
PythonComparison compare_runs(const Asked& asked) {
  const auto a = asked.get<std::string>("a");
  const auto b = asked.get<std::string>("b");
  const auto output = asked.get<fs::path>("output");
  return in_workspace(asked, [&](Store& store, Workspace& workspace, Progress& progress) {
    if (!output.empty()) {
      server::check_comparison_file(output);
      flow::check_destination({.path = output, .is_model = false}, {});
    }
    PythonComparison compared{flow::compare(store, workspace, a, b, progress)};
    if (output.empty()) return compared;
    server::write_comparison(
        store, workspace, compared.comparison,
        {.output = output, .version = kVersion, .assets = server::built_in_assets()}, progress);
    return compared;
  });
}

std::vector<std::string> write_events(const Asked& asked) {
  const auto id = asked.get<std::string>("run");
  flow::TensorboardOptions options;
  asked.set("logdir", options.logdir);
  asked.set("tensorboard_tags", options.tags);
  return in_workspace(asked, [&](Store& store, Workspace& workspace, Progress& progress) {
    std::vector<std::string> all;
    for (const fs::path& run : flow::tensorboard(store, workspace, id, options, progress).runs)
      all.push_back(run.string());
    return all;
  });
}

std::string write_export(const Asked& asked) {
  const auto id = asked.get<std::string>("run");
  flow::ExportOptions options;
  asked.set("as_", options.format);
  asked.set("output", options.output);
  if (asked.has("model")) asked.set("model", options.model.emplace());
  options.histograms = !asked.get<bool>("no_histograms");
  return in_workspace(asked, [&](Store& store, Workspace& workspace, Progress& progress) {
    return flow::export_run(store, workspace, workspace.find(id).id, options, progress).string();
  });
}

/// Of each gate that was missed: the run's id, and a sentence.
std::vector<std::pair<std::string, std::string>> write_report(const Asked& asked) {
  server::ReportOptions options{.version = kVersion, .assets = server::built_in_assets()};
  asked.set("runs", options.runs);
  asked.set("output", options.output);
  asked.set("fail_below", options.gates.least_db);
  asked.set("max_loss", options.gates.most_loss);
  asked.set("absolute", options.gates.absolute);
  return in_workspace(asked, [&](Store& store, Workspace& workspace, Progress& progress) {
    flow::check_destination({.path = options.output, .is_model = false}, {});
    std::vector<std::pair<std::string, std::string>> missed;
    for (auto& gate : server::write_report(store, workspace, options, progress))
      missed.emplace_back(std::move(gate.run), std::move(gate.because));
    return missed;
  });
}

}  // namespace

void bind_stored_runs(nb::module_& module) {
  bind<open_run>(module, "open_run");
  bind<list_runs>(module, "list_runs");
  bind<delete_run>(module, "delete_run");
  bind<compare_runs>(module, "compare");
  bind<write_report>(module, "report");
  bind<write_events>(module, "tensorboard");
  bind<write_export>(module, "export");
}

}  // namespace quantlens::python
