// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/merge.h"

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/statistics_text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::MergeOptions options;
  std::string output = "table";
};

int run(const Arguments& arguments) {
  DiskStore store;
  const flow::MergeResult result = flow::merge(arguments.options, store);
  if (arguments.output == "json") {
    print_out(json::dump(json::encode(result)));
  } else {
    print_out(statistics_text(
        {.output = result.output.string(), .samples = result.samples, .values = result.values}));
  }
  return kDone;
}

}  // namespace

void add_merge(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "merge", "Merge statistics of parts of the samples, equal to those of one run over all");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("OUT", arguments->options.output, "The file to write")
      ->required()
      ->check(not_empty());
  verb->add_option("IN", arguments->options.inputs,
                   "Statistics of 'quantlens calibrate', all of one model and each of other "
                   "samples")
      ->required()
      ->check(not_empty());
  verb->add_option("--output", arguments->output,
                   "Print this form on standard output: table or json (default: table)")
      ->check(one_of({"table", "json"}))
      ->group("Output");
  verb->footer("Example:\n  quantlens merge statistics.bin one.bin two.bin");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
