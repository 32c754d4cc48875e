// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/calibrate.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/part_option.h"
#include "cli/commands/recipe_option.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::CalibrateOptions options;
  RecipeOption recipe;
  PartOption part;
  TableOptions table;
  LongOptions common;
};

/// All but the recipe.
flow::CalibrateOptions options_of(const Arguments& arguments) {
  flow::CalibrateOptions options = arguments.options;
  options.data = arguments.common.data();
  options.part = arguments.part.part();
  return options;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::CalibrateOptions options = options_of(arguments);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::Session session = arguments.common.session(store, progress, command_line);
  const GivenRecipe given = arguments.recipe.read(session);
  options.recipe = given.recipe;
  options.recipe_files = given.files;
  const flow::CalibrateResult result = flow::calibrate(options, session);
  print_run(result, arguments.table,
            fmt::format("workload:   {}  ({})\n", result.run.id, result.folder.string()));
  return kDone;
}

}  // namespace

void add_calibrate(CLI::App& program, const std::vector<std::string>& command_line,
                   Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "calibrate", "Gather statistics of a model's values, from which quantize can choose ranges");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The float model")
      ->check(offers_files())
      ->required();
  verb->add_option("-o", arguments->options.output, "Write the statistics to this file")
      ->check(offers_files())
      ->required()
      ->check(not_empty());
  arguments->common.add_ends(*verb);
  arguments->recipe.add_to(*verb);
  arguments->common.add_to(*verb, DataOption::required);
  arguments->part.add_to(
      *verb,
      {.shard = "Look at part I of N of the samples of calibration, to be merged later "
                "(default: all of them)",
       .samples = "Look at samples FROM to TO, counted from 0, TO left out (default: as many from "
                  "the first as the recipe's calibration_sampling_size says)"});
  arguments->table.add_form_to(*verb);
  verb->footer(
      "Example:\n  quantlens calibrate mobilenet.onnx --data imagenet.yaml -o statistics.bin\n"
      "  quantlens quantize mobilenet.onnx --ranges statistics.bin\n"
      "Or in parts, on two machines:\n"
      "  quantlens calibrate mobilenet.onnx --data imagenet.yaml --shard 1/2 -o one.bin\n"
      "  quantlens calibrate mobilenet.onnx --data imagenet.yaml --shard 2/2 -o two.bin\n"
      "  quantlens merge statistics.bin one.bin two.bin");
  verb->callback([=, &chosen] {
    flow::check_options(options_of(*arguments), arguments->recipe.given_inline());
    chosen = [=] { return run(*arguments, command_line); };
  });
}

}  // namespace quantlens::cli
