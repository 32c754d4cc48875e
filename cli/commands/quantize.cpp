// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/quantize.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/recipe_option.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"
#include "cli/commands/tensorboard_option.h"
#include "quantlens/base/words.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::QuantizeOptions options;
  RecipeOption recipe;
  std::string accuracy_level, approach, format, target, metric;
  LongOptions common;
  TensorboardOption tensorboard;
  TableOptions table;
};

/// What follows the run's own text.
std::string after_run(const flow::QuantizeResult& result,
                      const std::vector<std::string>& command_line) {
  std::string text;
  const auto number = result.diagnosis ? remedy_to_try(*result.diagnosis) : std::nullopt;
  if (number) text = again_with_remedy(command_line, result.output, result.folder, *number);
  return text + fmt::format("quantized model: {}\nworkload:        {}  ({})\n",
                            result.output.string(), result.run.id, result.folder.string());
}

/// All but the recipe.
flow::QuantizeOptions options_of(const Arguments& arguments) {
  flow::QuantizeOptions options = arguments.options;
  options.data = arguments.common.data();
  options.calibration_data = arguments.common.calibration_data();
  if (arguments.tensorboard.is_asked() && options.data.is_given()) options.diagnose = true;
  if (!arguments.metric.empty()) options.metric = parse_metric(arguments.metric);
  return options;
}

/// A recipe asks for event files as the option does.
void ask_by_recipe(TensorboardOption& tensorboard, flow::QuantizeOptions& options) {
  if (!options.recipe.tensorboard) return;
  tensorboard.ask();
  if (options.data.is_given()) options.diagnose = true;
}

int run(Arguments arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::QuantizeOptions options = options_of(arguments);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::Session session = arguments.common.session(store, progress, command_line);
  const GivenRecipe given = arguments.recipe.read(session, from_word<Approach>(arguments.approach));
  options.recipe = given.recipe;
  options.recipe_files = given.files;
  const auto set = []<class E>(const std::string& chosen, E& option) {
    option = from_word<E>(chosen).value_or(option);
  };
  set(arguments.format, options.recipe.quant_format);
  set(arguments.accuracy_level, options.recipe.accuracy_level);
  set(arguments.target, options.recipe.target);
  ask_by_recipe(arguments.tensorboard, options);
  arguments.tensorboard.check(store, options.metric.has_value());
  const flow::QuantizeResult result = flow::quantize(options, session);
  print_run(result, arguments.table, after_run(result, with_recipes(command_line, given.texts)));
  const std::string written = arguments.tensorboard.write(store, result.folder, progress);
  arguments.table.tell(written);
  return kDone;
}

/// Options that override the keys of the same name in a recipe.
void add_choices(CLI::App& verb, Arguments& arguments) {
  verb.add_option("--approach", arguments.approach,
                  "Choose ranges of activations in this way. static: from calibration; dynamic: "
                  "from each input when the model runs, without samples; weight_only: none, since "
                  "weights alone are stored in 4 or 8 bits and all ops compute in float; auto: "
                  "static where an op can be, else dynamic (default: static)")
      ->check(one_of<Approach>());
  verb.add_option("--format", arguments.format,
                  "Write the model in this format. qdq: QuantizeLinear and DequantizeLinear "
                  "around the ops; qoperator: integer operators such as QLinearConv (default: "
                  "qdq)")
      ->check(one_of({"qdq", "qoperator"}));
  verb.add_option("--accuracy-level", arguments.accuracy_level,
                  "Do this much for accuracy where the recipe does not say. fast: ranges by "
                  "minimum and maximum; default: ranges of least error and corrected biases; "
                  "best: smoothed MatMuls as well (without the option: default)")
      ->check(one_of<AccuracyLevel>());
  verb.add_option("--target", arguments.target,
                  "Quantize for this CPU: vnni, avx2, avx512 (without VNNI), arm, or auto for the "
                  "one at hand; it decides whether weights have 7 bits (default: auto)")
      ->check(one_of<TargetCpu>());
}

}  // namespace

void add_quantize(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "quantize", "Calibrate a float model, write its int8 form, and show what that cost");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The float model")
      ->check(offers_files())
      ->required();
  verb->add_option("-o", arguments->options.output,
                   "Write the quantized model to this file (default: MODEL with .int8 before its "
                   "extension)")
      ->check(offers_files())
      ->check(not_empty());
  arguments->common.add_ends(*verb);
  arguments->recipe.add_to(*verb);
  add_choices(*verb, *arguments);
  verb->add_flag("--diagnose", arguments->options.diagnose,
                 "Run both models over all samples and show where they differ");
  CLI::Option* diagnose = verb->get_option("--diagnose");
  verb->add_option("--verify", arguments->options.verify,
                   "Try the remedies of this many findings, from the first, over all samples, and "
                   "show how much of the outputs' error each takes away (default: none)")
      ->needs(diagnose)
      ->check(whole_number(1, 100));
  arguments->tensorboard.add_to(*verb,
                                "; with --data it runs --diagnose, without there are graphs alone");
  verb->add_option("--metric", arguments->metric,
                   "Score both models by this metric (default: none): " + metric_names() +
                       ", with options as in top1:label_offset=1 (docs/metrics.md)")
      ->check(offers_metrics())
      ->check(not_empty());
  arguments->common.add_to(*verb, DataOption::optional);
  arguments->common.add_calibration_data(*verb);
  verb->add_option("--ranges", arguments->options.ranges,
                   "Take ranges from this file, statistics of 'quantlens calibrate' or a "
                   "ranges.json, instead of calibrating; --data then serves --diagnose and "
                   "--metric only")
      ->check(offers_files())
      ->check(not_empty())
      ->group("Data");
  arguments->table.add_to(*verb);
  arguments->table.add_sort_to(*verb);
  verb->footer(
      "Example:\n  quantlens quantize mobilenet.onnx --data imagenet.yaml --diagnose --metric "
      "top1:label_offset=1\n"
      "  quantlens quantize mobilenet.onnx --ranges statistics.bin \\\n    --recipe '{activation: "
      "{algorithm: mse}}'");
  verb->callback([=, &chosen] {
    flow::check_options(options_of(*arguments),
                        arguments->recipe.given_inline(from_word<Approach>(arguments->approach)));
    chosen = [=] { return run(*arguments, command_line); };
  });
}

}  // namespace quantlens::cli
