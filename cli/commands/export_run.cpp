// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/export_run.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "quantlens/base/text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::string run, format, output, model, workspace, progress = "auto";
  bool quiet = false;
};

flow::ExportFormat format_named(const std::string& word) {
  if (word == "model-explorer") return flow::ExportFormat::model_explorer;
  if (word == "netron") return flow::ExportFormat::netron;
  if (word == "perfetto") return flow::ExportFormat::perfetto;
  return flow::ExportFormat::csv;
}

int run(const Arguments& arguments) {
  DiskStore store;
  TerminalProgress progress = progress_of(arguments.progress, arguments.quiet);
  flow::ExportOptions options{
      .format = format_named(arguments.format), .output = arguments.output, .model = {}};
  if (!arguments.model.empty())
    options.model = arguments.model == "reference" ? ModelRole::reference : ModelRole::quantized;
  const Workspace workspace(store, arguments.workspace);
  const fs::path written =
      flow::export_run(store, workspace, workspace.find(arguments.run).id, options, progress);
  print_out(fmt::format("wrote {}\n", printable(written.string())));
  return kDone;
}

}  // namespace

void add_export(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "export", "Write a stored run for other programs to show; nothing is run");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("RUN", arguments->run, "The run: its id, the beginning of it, or the word last")
      ->required()
      ->check(not_empty());
  verb->add_option("--as", arguments->format,
                   "Write the run in this form. csv: a folder with all tables and histograms; "
                   "model-explorer: a folder with node data for Model Explorer; netron: a copy of "
                   "the model whose nodes show the figures in Netron; perfetto: the trace of a "
                   "profile")
      ->required()
      ->check(one_of({"csv", "model-explorer", "netron", "perfetto"}));
  verb->add_option("-o", arguments->output,
                   "Write this file, or make this folder (default: csv, model-explorer, "
                   "<model>.netron.onnx or trace.json)")
      ->check(not_empty());
  verb->add_option("--model", arguments->model,
                   "Of netron and perfetto: take this model, reference or quantized (default: "
                   "netron: the quantized one where there is one; perfetto: the reference)")
      ->check(one_of({"reference", "quantized"}));
  verb->add_option("--workspace", arguments->workspace,
                   "Look for runs in this folder (default: $QUANTLENS_WORKSPACE, else quantlens in "
                   "$XDG_DATA_HOME or ~/.local/share)")
      ->group("Run");
  verb->add_option("--progress", arguments->progress,
                   "Show progress on standard error: auto, bar, json or none (default: auto, a bar "
                   "on a terminal)")
      ->check(one_of({"auto", "bar", "json", "none"}))
      ->group("Run");
  verb->add_flag("-q,--quiet", arguments->quiet, "Show no progress and no notes")->group("Run");
  verb->footer("Example:\n  quantlens export last --as csv -o tables");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
