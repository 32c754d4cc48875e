// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/evaluate.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::EvaluateOptions options;
  std::string metric;
  LongOptions common;
  TableOptions table;
};

/// Two models by their files, or by their paths where these have one name.
PairNames names_of(const fs::path& model, const fs::path& against) {
  if (model.filename() == against.filename()) return {model.string(), against.string()};
  return {model.filename().string(), against.filename().string()};
}

void print_accuracy(const flow::EvaluateResult& result, const flow::EvaluateOptions& options,
                    const TableOptions& form) {
  if (result.paired) {
    const PairNames names = names_of(options.model, *options.against);
    if (form.is_text()) return print_out(accuracy_text(*result.paired, names));
    return form.print(accuracy_table(*result.paired, names));
  }
  if (form.is_text()) return print_out(accuracy_text(result.accuracy));
  form.print(accuracy_table(result.accuracy, options.model.filename().string()));
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::EvaluateOptions options = arguments.options;
  options.data = arguments.common.data();
  options.metric = parse_metric(arguments.metric);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::EvaluateResult result =
      flow::evaluate(options, arguments.common.session(store, progress, command_line));
  if (!arguments.table.is_json()) {
    print_accuracy(result, options, arguments.table);
    return kDone;
  }
  boost::json::object object = accuracy_object(result.accuracy);
  object["workload"] = result.workload;
  if (result.paired) {
    object["against"] = accuracy_object(result.paired->reference);
    object["difference"] = result.paired->difference;
    object["difference_interval"] = json::encode(result.paired->difference_interval);
    object["ratio"] = json::encode(result.paired->ratio);
    object["lost"] = result.paired->lost;
    object["gained"] = result.paired->gained;
    object["flips"] = json::encode(result.paired->flips);
  }
  print_object(object);
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "evaluate", "Score a model, alone or against another one, with 95 % intervals");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The model to score")->required();
  verb->add_option("--metric", arguments->metric,
                   "Score by this metric: " + metric_names() +
                       ", with options as in top1:label_offset=1 (docs/metrics.md)")
      ->required();
  verb->add_option("--against", arguments->options.against,
                   "Compare with this model over the same samples; the difference is MODEL minus "
                   "this one (default: none)");
  arguments->common.add_to(*verb, DataOption::optional);
  arguments->table.add_to(*verb);
  verb->footer(
      "Example:\n  quantlens evaluate mobilenet.int8.onnx --against mobilenet.onnx --data "
      "imagenet.yaml \\\n    --metric top1:label_offset=1\n"
      "  quantlens evaluate detector.int8.onnx --metric 'command:python eval.py --fast'");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
