// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "python/core/call.h"
#include "python/core/to_python.h"
#include "quantlens/base/json.h"
#include "quantlens/flow/benchmark.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/demo.h"
#include "quantlens/flow/diagnose.h"
#include "quantlens/flow/doctor.h"
#include "quantlens/flow/evaluate.h"
#include "quantlens/flow/inspect.h"
#include "quantlens/flow/judge.h"
#include "quantlens/flow/merge.h"
#include "quantlens/flow/profile.h"
#include "quantlens/flow/quantize.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/tune.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens::python {
namespace {

/// Documents with what messages call them, each laid over the one before.
struct GivenRecipe {
  Recipe recipe;
  std::vector<fs::path> files;  ///< that it was read from
};

constexpr const char* kInMemory = "recipe";  ///< what a document is called that is in no file

GivenRecipe given_recipe(const Asked& asked, Call& call) {
  const auto texts = asked.get<std::vector<std::pair<std::string, std::string>>>("recipe");
  std::optional<Approach> approach;
  if (asked.has("approach")) asked.set("approach", approach.emplace());
  std::vector<RecipeText> documents;
  GivenRecipe given;
  for (const auto& [text, where] : texts) {
    documents.push_back({.text = text, .where = where});
    if (where != kInMemory) given.files.emplace_back(where);
  }
  std::vector<std::string> notes;
  given.recipe = read_recipes(documents, &notes, approach);
  for (std::string& note : notes) call.note(std::move(note));
  asked.set("format", given.recipe.quant_format);
  asked.set("accuracy_level", given.recipe.accuracy_level);
  asked.set("target", given.recipe.target);
  return given;
}

/// The recipe that a model of quantlens holds, as a document; None for models of others.
nb::object recipe_in(const Asked& asked) {
  const Call call(asked);
  const auto path = asked.get<fs::path>("model");
  std::string document;
  call.run_in_session([&](const flow::Session&) {
    const std::optional<Recipe> recipe = stored_recipe(frontend::read(path));
    if (recipe) document = json::dump(recipe_document(*recipe));
  });
  return document.empty() ? nb::object(nb::none()) : to_python(document);
}

/// Of a shard its number, from 1, and how many there are; else the first sample and the end.
flow::Part given_part(const Asked& asked) {
  using Two = std::pair<std::uint64_t, std::uint64_t>;
  if (asked.has("shard")) {
    const Two shard = asked.get<Two>("shard");
    return flow::Shard{.index = shard.first, .count = shard.second};
  }
  if (!asked.has("samples")) return {};
  const Two range = asked.get<Two>("samples");
  return Samples{.first = range.first, .count = range.second - range.first};
}

PythonRun quantize(const Asked& asked) {
  Call call(asked);
  EventFiles events(asked);
  flow::QuantizeOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  options.calibration_data = call.other_data(asked, "calibration_data");
  if (asked.has("ranges")) asked.set("ranges", options.ranges.emplace());
  GivenRecipe given = given_recipe(asked, call);
  options.recipe = std::move(given.recipe);
  options.recipe_files = std::move(given.files);
  if (options.recipe.tensorboard) events.ask();
  asked.set("diagnose", options.diagnose);
  if (events.is_wanted() && options.data.is_given()) options.diagnose = true;
  asked.set("verify", options.verify);
  options.metric = call.metric(asked);
  flow::check_options(options, options.recipe);
  return call.start<flow::QuantizeResult>(
      [&](const flow::Session& session) {
        note_overwritten(options.output, options.model, session);
        return flow::quantize(options, session);
      },
      events);
}

PythonRun diagnose(const Asked& asked) {
  const Call call(asked);
  flow::DiagnoseOptions options;
  asked.set("reference", options.reference);
  asked.set("quantized", options.quantized);
  options.data = call.data(asked);
  options.metric = call.metric(asked);
  asked.set("local", options.local_samples);
  options.part = given_part(asked);
  asked.set("only_gather", options.only_gather);
  asked.set("gathered", options.gathered);
  return call.start<flow::DiagnoseResult>(
      [&](const flow::Session& session) { return flow::diagnose(options, session); },
      EventFiles(asked));
}

PythonRun evaluate(const Asked& asked) {
  const Call call(asked);
  flow::EvaluateOptions options;
  asked.set("model", options.model);
  if (asked.has("against")) asked.set("against", options.against.emplace());
  options.data = call.data(asked);
  options.metric = call.needed_metric(asked);
  options.part = given_part(asked);
  flow::check_options(options);
  return call.start<flow::EvaluateResult>(
      [&](const flow::Session& session) { return flow::evaluate(options, session); });
}

PythonRun tune(const Asked& asked) {
  Call call(asked);
  EventFiles events(asked);
  flow::TuneOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  options.calibration_data = call.other_data(asked, "calibration_data");
  GivenRecipe given = given_recipe(asked, call);
  options.recipe = std::move(given.recipe);
  options.recipe_files = std::move(given.files);
  options.metric = call.needed_metric(asked);
  asked.set("max_loss", options.goal.max_loss);
  asked.set("absolute", options.goal.absolute);
  asked.set("objective", options.goal.objective);
  asked.set("strategy", options.strategy);
  asked.set("seed", options.seed);
  asked.set("max_trials", options.max_trials);
  asked.set("timeout", options.timeout);
  asked.set("resume", options.resume);
  asked.set("prices", options.prices);
  asked.set("diagnose_best", options.diagnose_best);
  if (options.recipe.tensorboard) events.ask();
  if (events.is_wanted()) options.diagnose_best = true;
  asked.set("emit_recipe", options.emit_recipe);
  flow::check_options(options, options.recipe);
  return call.start<flow::TuneResult>(
      [&](const flow::Session& session) {
        if (!options.resume) note_overwritten(options.output, options.model, session);
        return flow::tune(options, session);
      },
      events);
}

PythonRun calibrate(const Asked& asked) {
  Call call(asked);
  flow::CalibrateOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  GivenRecipe given = given_recipe(asked, call);
  options.recipe = std::move(given.recipe);
  options.recipe_files = std::move(given.files);
  options.part = given_part(asked);
  flow::check_options(options, options.recipe);
  return call.start<flow::CalibrateResult>(
      [&](const flow::Session& session) { return flow::calibrate(options, session); });
}

/// Into how many shards a verb's samples can go: one for each batch. Of a file that shards are
/// merged into, throws as a verb does that writes it.
std::uint64_t most_shards(const Asked& asked) {
  Call call(asked);
  const auto path = asked.get<fs::path>("model");
  const auto output = asked.get<fs::path>("output");
  const flow::DataChoice choice = call.data(asked);
  const GivenRecipe given = given_recipe(asked, call);
  std::uint64_t batches = 0;
  call.run_in_session([&](const flow::Session& session) {
    const Model model = flow::formats(session).read(path);
    const flow::FittedData data = flow::fit_data(choice, model, session.progress);
    if (!output.empty()) {
      flow::check_destination({.path = output, .is_model = false},
                              {.model = &model, .files = given.files, .data = {&data}});
    }
    std::uint64_t samples = flow::sample_count(data);
    if (!output.empty()) samples = std::min(samples, given.recipe.calibration_sampling_size);
    batches = (samples + data.opened.batch_size - 1) / data.opened.batch_size;
  });
  return batches;
}

PythonRun profile(const Asked& asked) {
  const Call call(asked);
  flow::ProfileVerbOptions options;
  asked.set("model", options.model);
  if (asked.has("other")) asked.set("other", options.other.emplace());
  options.data = call.data(asked);
  asked.set("warmup", options.profile.warm_up);
  asked.set("iterations", options.profile.iterations);
  asked.set("machine", options.profile.machine);
  asked.set("scaling", options.profile.scaling);
  asked.set("verify", options.verify);
  asked.set("trace", options.trace);
  return call.start<flow::ProfileResult>(
      [&](const flow::Session& session) { return flow::profile(options, session); });
}

PythonRun benchmark(const Asked& asked) {
  const Call call(asked);
  flow::BenchmarkOptions options;
  asked.set("model", options.model);
  if (asked.has("other")) asked.set("other", options.other.emplace());
  options.data = call.data(asked);
  if (!options.data.is_given()) options.data.data = "random";
  asked.set("batch_sizes", options.batch_sizes);
  asked.set("rounds", options.rounds);
  asked.set("warmup", options.round.warmup);
  asked.set("iterations", options.round.iterations);
  options.round.threads = 0;
  asked.set("threads", options.round.threads);
  asked.set("instances", options.instances);
  asked.set("cores_per_instance", options.cores_per_instance);
  asked.set("instance_program", options.program);
  flow::check_options(options);
  return call.start<flow::BenchmarkOutcome>(
      [&](const flow::Session& session) { return flow::benchmark(options, session); });
}

PythonRun judge(const Asked& asked) {
  const Call call(asked);
  flow::JudgeOptions options;
  asked.set("runs", options.runs);
  asked.set("verb", options.verb);
  return call.start<flow::JudgeResult>(
      [&](const flow::Session& session) { return flow::judge(options, session); });
}

nb::object merge(const Asked& asked) {
  const Call call(asked);
  flow::MergeOptions options;
  asked.set("output", options.output);
  const auto inputs = asked.get<std::vector<std::string>>("inputs");
  options.inputs.assign(inputs.begin(), inputs.end());
  flow::MergeResult result;
  call.run_in_session(
      [&](const flow::Session& session) { result = flow::merge(options, session.store); });
  return to_python(result);
}

nb::object inspect(const Asked& asked) {
  const Call call(asked);
  const auto model = asked.get<fs::path>("model");
  Inspection result;
  call.run_in_session([&](const flow::Session& session) {
    result = flow::inspect(model, session.ends, Formats(session.workers.get()));
  });
  return to_python(result);
}

/// Of a model's inputs by name, with the batch's axis: nothing is planned for it.
nb::object input_ranks(const Asked& asked) {
  const Call call(asked);
  const auto path = asked.get<fs::path>("model");
  Model model;
  call.run_in_session(
      [&](const flow::Session& session) { model = flow::formats(session).read(path); });
  nb::dict ranks;
  for (const ValueInfo& input : model.graph.inputs) {
    ranks[input.name.c_str()] =
        input.shape ? nb::object(nb::int_(input.shape->size())) : nb::object(nb::none());
  }
  return ranks;
}

nb::object doctor(const Asked& asked) {
  const Call call(asked);
  Checkup result;
  call.run_in_session(
      [&](const flow::Session& session) { result = flow::doctor(session.workers.get()); });
  return to_python(result);
}

/// The broken run, and the mended one.
nb::object demo(const Asked& asked) {
  const Call call(asked);
  const auto folder = asked.get<fs::path>("folder");
  std::vector<PythonRun> runs;
  call.run_in_session([&](const flow::Session& session) {
    flow::DemoResult result = flow::demo(folder, session);
    for (flow::QuantizeResult* one : {&result.per_tensor, &result.per_channel}) {
      runs.push_back({.records = std::move(static_cast<RunRecords&>(*one)),
                      .folder = one->folder.string(),
                      .output = one->output.string()});
    }
  });
  return nb::make_tuple(std::move(runs[0]), std::move(runs[1]));
}

}  // namespace

void bind_verbs(nb::module_& module) {
  bind<quantize>(module, "quantize");
  bind<diagnose>(module, "diagnose");
  bind<evaluate>(module, "evaluate");
  bind<tune>(module, "tune");
  bind<calibrate>(module, "calibrate");
  bind<profile>(module, "profile");
  bind<benchmark>(module, "benchmark");
  bind<judge>(module, "judge");
  bind<merge>(module, "merge");
  bind<inspect>(module, "inspect");
  bind<input_ranks>(module, "input_ranks");
  bind<recipe_in>(module, "recipe_in");
  bind<most_shards>(module, "most_shards");
  bind<doctor>(module, "doctor");
  bind<demo>(module, "demo");
}

}  // namespace quantlens::python
