// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/diagnose.h"

#include <optional>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::DiagnoseOptions options;
  std::string metric;
  std::optional<double> fail_below_db;
  LongOptions common;
  TableOptions table;
};

/// What follows the run's own text.
std::string after_run(const flow::DiagnoseResult& result, const flow::DiagnoseOptions& models) {
  std::string text;
  if (const auto number = first_remedy(*result.diagnosis)) {
    const Compared compared{.reference = models.reference,
                            .quantized = models.quantized,
                            .data = models.data,
                            .is_ours = result.is_ours};
    text = anew_with_remedy(compared, result.folder, *number);
  }
  return text + workload_line(result, result.folder);
}

/// Says what is missing to the goal.
int goal_code(const Diagnosis& diagnosis, double least_db) {
  const std::optional<std::string> missed = missed_goal(diagnosis, least_db);
  if (missed) print_err(fmt::format("quantlens: {}\n", *missed));
  return missed ? kGoalMissed : kDone;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::DiagnoseOptions options = arguments.options;
  options.data = arguments.common.data();
  if (!arguments.metric.empty()) options.metric = parse_metric(arguments.metric);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::DiagnoseResult result =
      flow::diagnose(options, arguments.common.session(store, progress, command_line));
  print_run(result, arguments.table, after_run(result, options));
  return arguments.fail_below_db ? goal_code(*result.diagnosis, *arguments.fail_below_db) : kDone;
}

}  // namespace

void add_diagnose(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "diagnose", "Run a model and its quantized form in lockstep and show where they differ");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("REFERENCE", arguments->options.reference, "The float model")->required();
  verb->add_option("QUANTIZED", arguments->options.quantized,
                   "Its quantized form, made by any tool")
      ->required();
  verb->add_option("--metric", arguments->metric,
                   "Score both models by this metric, too (default: none): " + metric_names() +
                       " (docs/metrics.md)")
      ->check(not_empty());
  verb->add_option("--local", arguments->options.local_samples,
                   "Find the error of each op alone in a second pass over this many samples; 0 "
                   "leaves it out (default: 32)")
      ->check(whole_number(0, kMostCount));
  verb->add_option("--fail-below", arguments->fail_below_db,
                   "Exit with 3 if an activation's SQNR is below this many dB, or if an output was "
                   "not compared (default: never)")
      ->check(number());
  arguments->common.add_to(*verb, DataOption::required);
  arguments->table.add_to(*verb);
  arguments->table.add_sort_to(*verb);
  verb->footer(
      "Example:\n  quantlens diagnose mobilenet.onnx mobilenet.int8.onnx --data imagenet.yaml");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
