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
  TableOptions table;
};

int run(const Arguments& arguments) {
  DiskStore store;
  const flow::MergeResult result = flow::merge(arguments.options, store);
  const StatisticsSummary summary{
      .output = result.output.string(), .samples = result.samples, .values = result.values};
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(result)));
  } else if (arguments.table.is_text()) {
    print_out(statistics_text(summary));
  } else {
    arguments.table.print(statistics_table(summary));
  }
  return kDone;
}

}  // namespace

void add_merge(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "merge", "Merge statistics of parts of the samples, equal to those of one run over all");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("OUT", arguments->options.output, "The file to write")
      ->check(offers_files())
      ->required()
      ->check(not_empty());
  verb->add_option("IN", arguments->options.inputs,
                   "Statistics of 'quantlens calibrate', all of one model and each of other "
                   "samples")
      ->check(offers_files())
      ->required()
      ->check(not_empty());
  arguments->table.add_form_to(*verb);
  verb->footer("Example:\n  quantlens merge statistics.bin one.bin two.bin");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
