// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/tune.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.h"
#include "cli/commands/recipe_option.h"
#include "cli/commands/render.h"
#include "cli/commands/tensorboard_option.h"
#include "quantlens/accuracy/metric.h"
#include "quantlens/base/words.h"
#include "quantlens/report/tables.h"
#include "quantlens/tuning/strategy.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::TuneOptions options;
  RecipeOption recipe;
  std::string accuracy_level, metric;
  LongOptions common;
  TensorboardOption tensorboard;
  TableOptions table;
};

/// What follows the run's own text.
std::string after_run(const flow::TuneResult& result) {
  std::string text;
  if (result.study->best) text = fmt::format("quantized model: {}\n", result.output.string());
  return text + fmt::format("workload:        {}  ({})\n", result.run.id, result.folder.string());
}

/// All but the recipe.
flow::TuneOptions options_of(const Arguments& arguments) {
  flow::TuneOptions options = arguments.options;
  options.data = arguments.common.data();
  options.calibration_data = arguments.common.calibration_data();
  options.metric = parse_metric(arguments.metric);
  options.seed = options.data.options.seed;
  return options;
}

int run(Arguments arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::TuneOptions options = options_of(arguments);
  TerminalProgress progress = arguments.common.make_progress();
  const flow::Session session = arguments.common.session(store, progress, command_line);
  const GivenRecipe given = arguments.recipe.read(session);
  options.recipe = given.recipe;
  options.recipe_files = given.files;
  options.recipe.accuracy_level =
      from_word<AccuracyLevel>(arguments.accuracy_level).value_or(options.recipe.accuracy_level);
  if (arguments.table.is_text()) {  // Markdown has all trials in the end, in a table
    options.on_trial = [](const Study& study, const StudyTimes& times) {
      print_out(trial_text(study, times));
    };
  }
  if (options.recipe.tensorboard) arguments.tensorboard.ask();
  arguments.tensorboard.check(store, true);
  options.diagnose_best = arguments.tensorboard.is_wanted();
  const flow::TuneResult result = flow::tune(options, session);
  print_run(result, arguments.table, after_run(result));
  const std::string written = arguments.tensorboard.write(store, result.folder, progress);
  arguments.table.tell(written);
  return result.study->reached ? kDone : kGoalMissed;
}

void add_goal(CLI::App& verb, Arguments& arguments) {
  flow::TuneOptions& options = arguments.options;
  verb.add_option("--metric", arguments.metric,
                  "Score by this metric: " + metric_names() +
                      ", with options as in top1:label_offset=1 (docs/metrics.md)")
      ->check(offers_metrics())
      ->required()
      ->check(not_empty());
  verb.add_option("--max-loss", options.goal.max_loss,
                  "Allow this loss of the float model's accuracy, as a share of it; below 0, "
                  "demand a gain (default: 0.01, which is 1%)")
      ->transform(share())
      ->check(number())
      ->group("Goal");
  verb.add_flag("--absolute", options.goal.absolute,
                "Read --max-loss in the metric's own unit, where 0.01 of top1 is one point "
                "(default: as a share)")
      ->group("Goal");
  verb.add_option_function<std::string>(
          "--objective",
          [&options](const std::string& chosen) {
            options.goal.objective = from_word<Objective>(chosen).value_or(options.goal.objective);
          },
          "Prefer this among models within the goal. int8: most multiplications in int8; speed: "
          "the fastest on this machine; size: the smallest file; accuracy: the best figure that "
          "the limits allow (default: int8)")
      ->check(one_of<Objective>())
      ->group("Goal");
  verb.add_option("--prices", options.prices,
                  "Let --objective speed go by these times of ops. measured: taken here, so that "
                  "ops which int8 makes no faster stay float; none: the number of ops in int8 "
                  "instead; or the prices.json of an earlier run (default: measured)")
      ->check(offers_files({"measured", "none"}))
      ->check(not_empty())
      ->group("Goal");
}

CLI::Validator seconds_or_none() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0)
      return std::string();
    return fmt::format("'{}' is no number of seconds", shortened(text));
  };
  return {check, ""};
}

void add_search(CLI::App& verb, flow::TuneOptions& options) {
  verb.add_option("--strategy", options.strategy,
                  fmt::format("Search in this way: {} (docs/tuning.md; default: auto)",
                              fmt::join(strategy_names(), ", ")))
      ->check(one_of(strategy_names()))
      ->group("Search");
  verb.add_option("--max-trials", options.max_trials,
                  "Score at most this many models (default: 100)")
      ->check(whole_number(1, kMostCount))
      ->group("Search");
  verb.add_option("--timeout", options.timeout,
                  "Begin no further trial after this many seconds; 0 sets no limit (default: 0)")
      ->check(seconds_or_none())
      ->group("Search");
  verb.add_option("--resume", options.resume,
                  "Go on with this workload of an earlier run of the same command line (default: "
                  "begin anew)")
      ->check(offers_runs())
      ->check(not_empty())
      ->group("Search");
}

}  // namespace

void add_tune(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "tune",
      "Search for a recipe that keeps accuracy within a goal and as much as possible "
      "in int8");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->options.model, "The float model")
      ->check(offers_files())
      ->required();
  verb->add_option("-o", arguments->options.output,
                   "Write the best model so far to this file (default: MODEL with .int8 before its "
                   "extension)")
      ->check(offers_files())
      ->check(not_empty());
  arguments->common.add_ends(*verb);
  arguments->recipe.add_to(*verb);
  verb->add_option("--accuracy-level", arguments->accuracy_level,
                   "Start the search at this accuracy level of quantize: fast, default or best "
                   "(without the option: default)")
      ->check(one_of<AccuracyLevel>());
  verb->add_option("--emit-recipe", arguments->options.emit_recipe,
                   "Write the best recipe to this file; quantize --recipe makes the same model "
                   "from it (default: only in the workload)")
      ->check(offers_files())
      ->check(not_empty());
  add_goal(*verb, *arguments);
  add_search(*verb, arguments->options);
  arguments->tensorboard.add_to(*verb, "; the model that is kept is diagnosed for it");
  arguments->common.add_to(*verb, DataOption::required);
  arguments->common.add_calibration_data(*verb);
  arguments->table.add_to(*verb);
  verb->footer(
      "Exit code 3: the goal was missed; the best model is there all the same.\n"
      "Example:\n  quantlens tune mobilenet.onnx --data imagenet.yaml --metric "
      "top1:label_offset=1 \\\n    --max-loss 1% --emit-recipe best.json");
  verb->callback([=, &chosen] {
    flow::check_options(options_of(*arguments), arguments->recipe.given_inline());
    chosen = [=] { return run(*arguments, command_line); };
  });
}

}  // namespace quantlens::cli
