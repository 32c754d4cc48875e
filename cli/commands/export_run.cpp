// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/export_run.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "quantlens/base/text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::string run, format, output, model;
  bool no_histograms = false;
  StoredRunOptions stored;
};

int run(const Arguments& arguments) {
  DiskStore store;
  TerminalProgress progress = arguments.stored.make_progress();
  const flow::ExportOptions options{
      .format = from_word<flow::ExportFormat>(arguments.format).value_or(flow::ExportFormat::csv),
      .output = arguments.output,
      .model = from_word<ModelRole>(arguments.model),
      .histograms = !arguments.no_histograms};
  const Workspace workspace = arguments.stored.workspace(store);
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
  verb->add_option("RUN", arguments->run,
                   "The run: its id, the beginning of it, its name, or the word last")
      ->check(offers_runs())
      ->required()
      ->check(not_empty());
  verb->add_option("--as", arguments->format,
                   "Write the run in this form. csv: a folder with all tables and histograms; "
                   "model-explorer: a folder with node data for Model Explorer; netron: a copy of "
                   "the model whose nodes show the figures in Netron; perfetto: the trace of a "
                   "profile")
      ->required()
      ->check(one_of<flow::ExportFormat>());
  verb->add_option("-o", arguments->output,
                   "Write this file, or make this folder (default: csv, model-explorer, "
                   "<model>.netron.onnx or trace.json)")
      ->check(offers_files())
      ->check(not_empty());
  verb->add_option("--model", arguments->model,
                   "Of netron and perfetto: take this model, reference or quantized (default: "
                   "netron: the quantized one where there is one; perfetto: the reference)")
      ->check(one_of({"reference", "quantized"}));
  verb->add_flag("--no-histograms", arguments->no_histograms,
                 "Of csv: leave histograms.csv out, which of a large network has gigabytes");
  arguments->stored.add_to(*verb);
  verb->footer("Example:\n  quantlens export last --as csv -o tables");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
