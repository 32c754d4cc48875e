// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/profile.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::ProfileVerbOptions options;
  bool by_type = false;
  LongOptions common;
  TableOptions table;
};

/// What follows the run's own text.
std::string after_run(const flow::ProfileResult& result, const flow::ProfileVerbOptions& options,
                      const Ends& ends) {
  std::string text;
  const auto number = first_remedy(*result.profile);
  if (number) {
    const Compared compared{.reference = options.model,
                            .quantized = *options.other,
                            .ends = ends,
                            .data = options.data,
                            .metric = {},
                            .is_ours = result.is_ours};
    text = anew_with_remedy(compared, result.folder, *number);
  }
  return text + workload_line(result, result.folder);
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::ProfileVerbOptions options = arguments.options;
  options.data = arguments.common.data();
  TerminalProgress progress = arguments.common.make_progress();
  const flow::ProfileResult result =
      flow::profile(options, arguments.common.session(store, progress, command_line));
  RunView view = arguments.table.view();
  if (arguments.by_type) view.rows = ProfileRows::types;
  print_run(result, arguments.table, after_run(result, options, arguments.common.ends()), view);
  return kDone;
}

}  // namespace

void add_profile(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "profile", "Show where a model's time goes, node by node, and what int8 saves and costs");
  auto arguments = std::make_shared<Arguments>();
  flow::ProfileVerbOptions& options = arguments->options;
  verb->add_option("MODEL", options.model,
                   "The model to time, or a profile that ONNX Runtime or TensorFlow wrote")
      ->check(offers_files())
      ->required();
  verb->add_option("OTHER", options.other, "Its quantized form, to join both op by op")
      ->check(offers_files());
  verb->add_option("--warmup", options.profile.warm_up,
                   "Run the model this often after each loading before runs count (default: 10)")
      ->check(whole_number(0, 1'000'000));
  verb->add_option("--iterations", options.profile.iterations,
                   "Count this many runs (default: until the median is known to 1 %)")
      ->check(whole_number(1, 10'000'000));
  verb->add_option("--verify", options.verify,
                   "With two models, time the remedies of this many findings, from the first, in "
                   "the quantized model; 0 shows none of them (default: 5)")
      ->check(whole_number(0, 100));
  verb->add_option("--trace", options.trace,
                   "Write the nodes of one run to this file, for ui.perfetto.dev or "
                   "chrome://tracing (default: only in the workload)")
      ->check(offers_files())
      ->check(not_empty())
      ->group("Output");
  arguments->common.add_ends(*verb);
  arguments->common.add_to(*verb, DataOption::optional);
  arguments->table.add_to(*verb);
  verb->add_flag("--by-type", arguments->by_type,
                 "Print one row for each type (default: one for each node or op)")
      ->group("Output");
  verb->footer(
      "Without --data the inputs are random, of the shapes that the model names.\n"
      "Example:\n  quantlens profile kwt1.onnx kwt1.int8.onnx --data kwt.yaml --threads 1");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
