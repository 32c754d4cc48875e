// SPDX-License-Identifier: Apache-2.0
// What is made of runs that are stored already.
#include <string>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/core/run.h"
#include "python/core/run_verb.h"
#include "python/core/to_python.h"
#include "quantlens/base/error.h"
#include "quantlens/flow/compare.h"
#include "quantlens/flow/export_run.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/tensorboard.h"
#include "quantlens/flow/version.h"
#include "quantlens/report/comparison_text.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/write_report.h"

namespace quantlens::python {
namespace {

/// Calls `work` with the workspace, and raises as verbs do.
template <class Work>
auto in_workspace(nb::handle told, const std::string& root, Work&& work) {
  using Result =
      decltype(work(std::declval<Store&>(), std::declval<Workspace&>(), std::declval<Progress&>()));
  std::optional<Result> result;
  run_verb(told, std::make_shared<RaisedFirst>(), [&](Progress& progress) {
    DiskStore store;
    Workspace workspace(store, root);
    result.emplace(work(store, workspace, progress));
  });
  return *std::move(result);
}

PythonRun open_run(const std::string& id, const std::string& root) {
  return in_workspace(nb::none(), root, [&](Store& store, Workspace& workspace, Progress&) {
    const std::string whole = workspace.find(id).id;
    PythonRun run{read_run(store, workspace, whole), workspace.folder(whole).string(), {}};
    if (const ModelFile* made = file_of(run.records.run, ModelRole::quantized))
      run.output = made->path;
    return run;
  });
}

nb::object list_runs(const std::string& root) {
  return to_python(in_workspace(
      nb::none(), root, [&](Store&, Workspace& workspace, Progress&) { return workspace.list(); }));
}

int delete_run(const std::string& id, const std::string& root) {
  return in_workspace(nb::none(), root, [&](Store&, Workspace& workspace, Progress&) {
    workspace.remove(id);
    return 0;
  });
}

nb::object compare_runs(const std::string& a, const std::string& b, const std::string& root,
                        nb::handle told) {
  const Comparison comparison =
      in_workspace(told, root, [&](Store& store, Workspace& workspace, Progress& progress) {
        return flow::compare(store, workspace, a, b, progress);
      });
  return nb::make_tuple(to_python(comparison), comparison_text(comparison, RunView()),
                        json_to_python(json::Value(comparison_json(comparison))));
}

std::vector<std::string> write_events(const std::string& id, const std::string& logdir,
                                      const std::string& root, nb::handle told) {
  return in_workspace(told, root, [&](Store& store, Workspace& workspace, Progress& progress) {
    const flow::TensorboardResult written =
        flow::tensorboard(store, workspace, id, {.logdir = logdir}, progress);
    std::vector<std::string> all;
    for (const fs::path& run : written.runs) all.push_back(run.string());
    return all;
  });
}

std::string write_export(const std::string& id, const std::string& form, const std::string& output,
                         const std::string& root, nb::handle told) {
  return in_workspace(told, root, [&](Store& store, Workspace& workspace, Progress& progress) {
    return flow::export_run(
               store, workspace, id,
               {.format = chosen<flow::ExportFormat>("export", form), .output = output}, progress)
        .string();
  });
}

/// Of each gate that was missed: the run's id, and a sentence.
std::vector<std::pair<std::string, std::string>> write_report(nb::dict asked,
                                                              const std::string& root,
                                                              nb::handle told) {
  server::ReportOptions options{.version = kVersion, .assets = server::built_in_assets()};
  options.runs = nb::cast<std::vector<std::string>>(asked["runs"]);
  options.output = nb::cast<std::string>(asked["output"]);
  const auto number = [&](const char* name) {
    const nb::object given = asked[name];
    return given.is_none() ? std::nullopt : std::optional(nb::cast<double>(given));
  };
  options.gates = {.least_db = number("fail_below"),
                   .most_loss = number("max_loss"),
                   .absolute = nb::cast<bool>(asked["absolute"])};
  return in_workspace(told, root, [&](Store& store, Workspace& workspace, Progress& progress) {
    flow::check_destination({.path = options.output, .is_model = false}, {});
    std::vector<std::pair<std::string, std::string>> missed;
    for (auto& gate : server::write_report(store, workspace, options, progress))
      missed.emplace_back(std::move(gate.run), std::move(gate.because));
    return missed;
  });
}

}  // namespace

void bind_stored_runs(nb::module_& module) {
  module.def("open_run", &open_run);
  module.def("list_runs", &list_runs);
  module.def("delete_run", &delete_run);
  module.def("compare", &compare_runs, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("report", &write_report, nb::arg(), nb::arg(), nb::arg().none());
  module.def("tensorboard", &write_events, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("export", &write_export, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace quantlens::python
