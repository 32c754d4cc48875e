// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/calibrate.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/recipe_option.h"
#include "cli/commands/render.h"
#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::CalibrateOptions options;
  RecipeOption recipe;
  std::string shard, samples, output = "table";
  LongOptions common;
};

/// "2/4" or "0:50" taken apart; nothing where it is no such thing.
std::optional<std::pair<std::uint64_t, std::uint64_t>> two_counts(std::string_view text,
                                                                  char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return {};
  const auto whole = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (error != std::errc() || end != digits.data() + digits.size() || value > kMost) return {};
    return value;
  };
  const auto first = whole(text.substr(0, at));
  const auto second = whole(text.substr(at + 1));
  if (!first || !second) return {};
  return std::pair(*first, *second);
}

flow::Shard shard_of(const std::string& text) {
  const auto counts = two_counts(text, '/');
  if (!counts || counts->first < 1 || counts->first > counts->second) {
    throw Error(Errc::usage, fmt::format("--shard: '{}' is no part such as 2/4, the second of four",
                                         shortened(text)));
  }
  return {.index = counts->first, .count = counts->second};
}

flow::Samples samples_of(const std::string& text) {
  const auto counts = two_counts(text, ':');
  if (!counts || counts->first >= counts->second) {
    throw Error(
        Errc::usage,
        fmt::format("--samples: '{}' is no range such as 0:50, the first fifty", shortened(text)));
  }
  return {.first = counts->first, .count = counts->second - counts->first};
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::CalibrateOptions options = arguments.options;
  options.data = arguments.common.data();
  if (!arguments.shard.empty()) options.part = shard_of(arguments.shard);
  if (!arguments.samples.empty()) options.part = samples_of(arguments.samples);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::Session session = arguments.common.session(store, progress, command_line);
  const GivenRecipe given = arguments.recipe.read(session);
  options.recipe = given.recipe;
  options.recipe_files = given.files;
  const flow::CalibrateResult result = flow::calibrate(options, session);
  if (arguments.output == "json") {
    print_object({{"workload", result.workload},
                  {"output", result.output.string()},
                  {"samples", result.samples},
                  {"values", result.values}});
    return kDone;
  }
  print_out(fmt::format("statistics: {}  ({} over {})\nworkload:   {}  ({})\n",
                        result.output.string(), counted(result.values, "value"),
                        counted(result.samples, "sample"), result.workload,
                        result.folder.string()));
  return kDone;
}

}  // namespace

void add_calibrate(CLI::App& program, const std::vector<std::string>& command_line,
                   Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "calibrate", "Gather statistics of a model's values, from which quantize can choose ranges");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The float model")->required();
  verb->add_option("-o", arguments->options.output, "Write the statistics to this file")
      ->required()
      ->check(not_empty());
  arguments->recipe.add_to(*verb);
  arguments->common.add_to(*verb, DataOption::required);
  CLI::Option* shard =
      verb->add_option("--shard", arguments->shard,
                       "Look at part I of N of the samples of calibration, to be merged later "
                       "(default: all of them)")
          ->type_name("I/N")
          ->check(not_empty())
          ->group("Data");
  verb->add_option("--samples", arguments->samples,
                   "Look at samples FROM to TO, counted from 0, TO left out (default: as many from "
                   "the first as the recipe's calibration_sampling_size says)")
      ->type_name("FROM:TO")
      ->check(not_empty())
      ->excludes(shard)
      ->group("Data");
  verb->add_option("--output", arguments->output,
                   "Print this form on standard output: table or json (default: table)")
      ->check(one_of({"table", "json"}))
      ->group("Output");
  verb->footer(
      "Example:\n  quantlens calibrate mobilenet.onnx --data imagenet.yaml -o statistics.bin\n"
      "  quantlens quantize mobilenet.onnx --ranges statistics.bin\n"
      "Or in parts, on two machines:\n"
      "  quantlens calibrate mobilenet.onnx --data imagenet.yaml --shard 1/2 -o one.bin\n"
      "  quantlens calibrate mobilenet.onnx --data imagenet.yaml --shard 2/2 -o two.bin\n"
      "  quantlens merge statistics.bin one.bin two.bin");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
