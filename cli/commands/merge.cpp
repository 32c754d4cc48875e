// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/merge.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/counted.h"

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
    print_object({{"output", result.output.string()},
                  {"model", result.model},
                  {"samples", result.samples},
                  {"values", result.values}});
  } else {
    print_out(fmt::format("statistics: {}  ({} over {})\n", result.output.string(),
                          counted(result.values, "value"), counted(result.samples, "sample")));
  }
  return kDone;
}

}  // namespace

void add_merge(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "merge", "Put statistics of parts of the samples together, as one run would have made them");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("OUT", arguments->options.output, "the new file")
      ->required()
      ->check(not_empty());
  verb->add_option("IN", arguments->options.inputs,
                   "statistics of 'quantlens calibrate', of the same model and other samples")
      ->required()
      ->check(not_empty());
  verb->add_option("--output", arguments->output, "what is printed on standard output")
      ->check(one_of({"table", "json"}))
      ->group("Output");
  verb->footer("Example:\n  quantlens merge statistics.bin one.bin two.bin");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
