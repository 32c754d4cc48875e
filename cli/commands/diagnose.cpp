// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/diagnose.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"
#include "quantlens/base/counted.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::DiagnoseOptions options;
  std::string metric;
  std::optional<double> fail_below_db;
  LongOptions common;
  TableOptions table;
};

void print_tables(const flow::DiagnoseResult& result, const flow::DiagnoseOptions& models,
                  const TableOptions& options) {
  print_diagnosis(result.diagnosis, options);
  if (options.is_csv()) return;
  if (const auto number = first_remedy(result.diagnosis)) {
    const Compared compared{.reference = models.reference,
                            .quantized = models.quantized,
                            .data = models.data,
                            .is_ours = result.is_ours};
    print_out(anew_with_remedy(compared, result.folder, *number));
  }
  if (result.accuracy) print_out(accuracy_text(*result.accuracy));
  print_out(fmt::format("workload: {}  ({})\n", result.workload, result.folder.string()));
}

/// Says which activations are below the goal, if some are; what was not compared has not reached
/// it.
int goal_code(const Diagnosis& diagnosis, double least_db) {
  if (diagnosis.activations.empty()) {
    print_err(fmt::format("quantlens: nothing was compared, so nothing is known to reach {} dB\n",
                          least_db));
    return kGoalMissed;
  }
  if (!diagnosis.outputs_not_compared.empty()) {
    print_err(fmt::format(
        "quantlens: the output '{}' was not compared, so it is not known to reach {} dB\n",
        printable(diagnosis.outputs_not_compared.front()), least_db));
    return kGoalMissed;
  }
  const auto below = std::ranges::count_if(
      diagnosis.activations, [&](const ActivationRow& row) { return row.sqnr_db < least_db; });
  if (below == 0) return kDone;
  const ActivationRow& worst = diagnosis.activations.front();
  print_err(fmt::format("quantlens: {} of {} {} below {} dB, the worst {} with {:.1f} dB\n", below,
                        counted(diagnosis.activations.size(), "activation"),
                        below == 1 ? "is" : "are", least_db, printable(worst.name), worst.sqnr_db));
  return kGoalMissed;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::DiagnoseOptions options = arguments.options;
  options.data = arguments.common.data();
  if (!arguments.metric.empty()) options.metric = parse_metric(arguments.metric);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::DiagnoseResult result =
      flow::diagnose(options, arguments.common.session(store, progress, command_line));
  if (arguments.table.is_json()) {
    boost::json::object object{{"workload", result.workload}};
    const boost::json::object record = json::encode(result.diagnosis).as_object();
    for (const auto& field : record) object[field.key()] = field.value();
    if (result.accuracy) object["accuracy"] = json::encode(*result.accuracy);
    print_object(object);
  } else {
    print_tables(result, options, arguments.table);
  }
  return arguments.fail_below_db ? goal_code(result.diagnosis, *arguments.fail_below_db) : kDone;
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
