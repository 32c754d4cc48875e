// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/diagnose.h"

#include "cli/commands/commands.h"
#include "cli/commands/fail_below.h"
#include "cli/commands/part_option.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"
#include "cli/commands/tensorboard_option.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::DiagnoseOptions options;
  std::string metric;
  FailBelow fail_below;
  PartOption part;
  TensorboardOption tensorboard;
  LongOptions common;
  TableOptions table;
};

/// What follows the run's own text.
std::string after_run(const flow::DiagnoseResult& result, const flow::DiagnoseOptions& models,
                      const Ends& ends) {
  std::string text;
  if (const auto number = remedy_to_try(*result.diagnosis)) {
    const Compared compared{.reference = models.reference,
                            .quantized = models.quantized,
                            .ends = ends,
                            .data = models.data,
                            .metric = result.run.metric,
                            .is_ours = result.is_ours};
    text = anew_with_remedy(compared, result.folder, *number);
  }
  return text + workload_line(result, result.folder);
}

flow::DiagnoseOptions options_of(const Arguments& arguments) {
  flow::DiagnoseOptions options = arguments.options;
  options.data = arguments.common.data();
  options.part = arguments.part.part();
  if (!arguments.metric.empty()) options.metric = parse_metric(arguments.metric);
  return options;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  const flow::DiagnoseOptions options = options_of(arguments);
  TerminalProgress progress = arguments.common.make_progress();
  arguments.tensorboard.check(store, options.metric.has_value());
  const flow::DiagnoseResult result =
      flow::diagnose(options, arguments.common.session(store, progress, command_line));
  print_run(result, arguments.table, after_run(result, options, arguments.common.ends()));
  const std::string written = arguments.tensorboard.write(store, result.folder, progress);
  arguments.table.tell(written);
  return arguments.fail_below.code(result);
}

}  // namespace

void add_diagnose(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "diagnose", "Run a model and its quantized form in lockstep and show where they differ");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("REFERENCE", arguments->options.reference, "The float model")
      ->check(offers_files())
      ->required();
  verb->add_option("QUANTIZED", arguments->options.quantized,
                   "Its quantized form, made by any tool")
      ->check(offers_files())
      ->required();
  verb->add_option("--metric", arguments->metric,
                   "Score both models by this metric, too (default: none): " + metric_names() +
                       " (docs/metrics.md)")
      ->check(offers_metrics())
      ->check(not_empty());
  verb->add_option("--local", arguments->options.local_samples,
                   "Find the error of each op alone in a second pass over this many samples; 0 "
                   "leaves it out (default: 32)")
      ->check(whole_number(0, kMostCount));
  arguments->common.add_ends(*verb);
  arguments->fail_below.add_to(*verb);
  arguments->tensorboard.add_to(*verb);
  arguments->common.add_to(*verb, DataOption::required);
  arguments->part.add_to(*verb, parts_to_be_judged());
  arguments->table.add_to(*verb);
  arguments->table.add_sort_to(*verb);
  verb->footer(
      "Example:\n  quantlens diagnose mobilenet.onnx mobilenet.int8.onnx --data imagenet.yaml");
  verb->callback([=, &chosen] {
    options_of(*arguments);
    chosen = [=] { return run(*arguments, command_line); };
  });
}

}  // namespace quantlens::cli
