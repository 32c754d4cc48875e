// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/evaluate.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/part_option.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::EvaluateOptions options;
  std::string metric;
  PartOption part;
  LongOptions common;
  TableOptions table;
};

flow::EvaluateOptions options_of(const Arguments& arguments) {
  flow::EvaluateOptions options = arguments.options;
  options.data = arguments.common.data();
  options.part = arguments.part.part();
  options.metric = parse_metric(arguments.metric);
  return options;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  const flow::EvaluateOptions options = options_of(arguments);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::EvaluateResult result =
      flow::evaluate(options, arguments.common.session(store, progress, command_line));
  print_run(result, arguments.table, workload_line(result, result.folder));
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "evaluate", "Score a model, alone or against another one, with 95 % intervals");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The model to score")
      ->check(offers_files())
      ->required();
  verb->add_option("--metric", arguments->metric,
                   "Score by this metric: " + metric_names() +
                       ", with options as in top1:label_offset=1 (docs/metrics.md)")
      ->check(offers_metrics())
      ->required();
  verb->add_option("--against", arguments->options.against,
                   "Compare with this model over the same samples; the difference is MODEL minus "
                   "this one (default: none)")
      ->check(offers_files());
  arguments->common.add_ends(*verb);
  arguments->common.add_to(*verb, DataOption::optional);
  arguments->part.add_to(*verb, parts_to_be_judged());
  arguments->table.add_to(*verb);
  verb->footer(
      "Example:\n  quantlens evaluate mobilenet.int8.onnx --against mobilenet.onnx --data "
      "imagenet.yaml \\\n    --metric top1:label_offset=1\n"
      "  quantlens evaluate detector.int8.onnx --metric 'command:python eval.py --fast'\n"
      "  quantlens evaluate ds_cnn.pb --inputs Mfcc --data speech.yaml --metric top1");
  verb->callback([=, &chosen] {
    flow::check_options(options_of(*arguments));
    chosen = [=] { return run(*arguments, command_line); };
  });
}

}  // namespace quantlens::cli
