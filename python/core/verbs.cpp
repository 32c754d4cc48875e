// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/core/run.h"
#include "python/core/run_verb.h"
#include "python/core/to_python.h"
#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
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
#include "quantlens/flow/tune.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens::python {
namespace {

/// What Python hands to a verb: only what the caller gave, so that all defaults are those of C++.
class Asked {
 public:
  explicit Asked(nb::dict given) : given_(std::move(given)) {}

  bool has(const char* name) const { return given_.contains(name) && !given_[name].is_none(); }
  nb::object at(const char* name) const {
    return has(name) ? nb::object(given_[name]) : nb::object(nb::none());
  }
  nb::dict dict() const { return given_; }

  template <class T>
  void set(const char* name, T& option) const {
    if (!has(name)) return;
    try {
      option = nb::cast<T>(given_[name]);
    } catch (const nb::cast_error&) {
      refuse(name);
    }
  }
  template <class T>
  void set(const char* name, std::optional<T>& option) const {
    if (has(name)) set(name, option.emplace());
  }
  void set(const char* name, fs::path& option) const {
    std::string text;
    set(name, text);
    if (has(name)) option = text;
  }
  template <WordEnum E>
  void set(const char* name, E& option) const {
    std::string text;
    set(name, text);
    if (has(name)) option = chosen<E>(name, text);
  }

 private:
  [[noreturn]] void refuse(const char* name) const {
    throw Error(Errc::usage, fmt::format("{}: {} makes no sense here", name,
                                         nb::cast<std::string>(nb::str(nb::repr(given_[name])))));
  }

  nb::dict given_;
};

/// What a verb is run with, made while the GIL is held; `start` runs it.
class Call {
 public:
  explicit Call(const Asked& asked) : told_(asked.at("progress")) {
    asked.set("workspace", workspace_);
    asked.set("name", name_);
    asked.set("threads", threads_);
    asked.set("strict", strict_);
  }

  const std::shared_ptr<RaisedFirst>& raised() const { return raised_; }

  flow::DataChoice data(const Asked& asked, const char* name = "data") const {
    return data_choice(asked.at(name), asked.dict(), raised_);
  }
  std::optional<flow::DataChoice> other_data(const Asked& asked, const char* name) const {
    if (!asked.has(name)) return std::nullopt;
    return data(asked, name);
  }
  std::optional<MetricSpec> metric(const Asked& asked) const {
    if (!asked.has("metric")) return std::nullopt;
    return metric_spec(asked.at("metric"), raised_);
  }

  template <class Result, class Work>
  PythonRun start(Work&& work) const {
    PythonRun run;
    run_in_session([&](const flow::Session& session) {
      Result result = work(session);
      run.folder = result.folder.string();
      if constexpr (requires { result.output; }) run.output = result.output.string();
      run.records = std::move(static_cast<RunRecords&>(result));
    });
    return run;
  }

  template <class Work>
  void run_in_session(Work&& work) const {
    run_verb(told_, raised_, [&](Progress& progress) {
      DiskStore store;
      work(flow::Session{.store = store,
                         .progress = progress,
                         .workspace = workspace_,
                         .name = name_,
                         .arguments = {"python"},
                         .threads = threads_.value_or(available_cores()),
                         .strict = strict_});
    });
  }

 private:
  nb::object told_;
  fs::path workspace_;
  std::string name_;
  std::optional<unsigned> threads_;
  bool strict_ = false;
  std::shared_ptr<RaisedFirst> raised_ = std::make_shared<RaisedFirst>();
};

/// Documents, each laid over the one before.
void set_recipe(const Asked& asked, Recipe& recipe) {
  std::vector<std::string> texts;
  asked.set("recipe", texts);
  if (texts.empty()) return;
  std::vector<RecipeText> documents;
  for (std::string& text : texts) documents.push_back({.text = std::move(text), .where = "recipe"});
  recipe = read_recipes(documents, nullptr, {});
}

/// Of a shard its number, from 1, and how many there are.
void set_part(const Asked& asked, flow::Part& part) {
  std::vector<std::uint64_t> numbers;
  asked.set("shard", numbers);
  if (numbers.empty()) return;
  if (numbers.size() != 2 || numbers[0] < 1 || numbers[0] > numbers[1])
    throw Error(Errc::usage, "shard: give its number, from 1, and how many there are");
  part = flow::Shard{.index = numbers[0], .count = numbers[1]};
}

/// Usage errors before anything runs are raised as those of verbs.
template <class Work>
auto raising(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    raise(error);
  }
}

PythonRun quantize(const Asked& asked) {
  const Call call(asked);
  flow::QuantizeOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  options.calibration_data = call.other_data(asked, "calibration_data");
  if (asked.has("ranges")) asked.set("ranges", options.ranges.emplace());
  set_recipe(asked, options.recipe);
  asked.set("diagnose", options.diagnose);
  asked.set("verify", options.verify);
  options.metric = call.metric(asked);
  flow::check_options(options, options.recipe);
  return call.start<flow::QuantizeResult>(
      [&](const flow::Session& session) { return flow::quantize(options, session); });
}

PythonRun diagnose(const Asked& asked) {
  const Call call(asked);
  flow::DiagnoseOptions options;
  asked.set("reference", options.reference);
  asked.set("quantized", options.quantized);
  options.data = call.data(asked);
  options.metric = call.metric(asked);
  asked.set("local_samples", options.local_samples);
  set_part(asked, options.part);
  return call.start<flow::DiagnoseResult>(
      [&](const flow::Session& session) { return flow::diagnose(options, session); });
}

PythonRun evaluate(const Asked& asked) {
  const Call call(asked);
  flow::EvaluateOptions options;
  asked.set("model", options.model);
  if (asked.has("against")) asked.set("against", options.against.emplace());
  options.data = call.data(asked);
  options.metric = call.metric(asked).value();
  set_part(asked, options.part);
  flow::check_options(options);
  return call.start<flow::EvaluateResult>(
      [&](const flow::Session& session) { return flow::evaluate(options, session); });
}

PythonRun tune(const Asked& asked) {
  const Call call(asked);
  flow::TuneOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  options.calibration_data = call.other_data(asked, "calibration_data");
  set_recipe(asked, options.recipe);
  options.metric = call.metric(asked).value();
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
  asked.set("emit_recipe", options.emit_recipe);
  flow::check_options(options, options.recipe);
  return call.start<flow::TuneResult>(
      [&](const flow::Session& session) { return flow::tune(options, session); });
}

PythonRun calibrate(const Asked& asked) {
  const Call call(asked);
  flow::CalibrateOptions options;
  asked.set("model", options.model);
  asked.set("output", options.output);
  options.data = call.data(asked);
  set_recipe(asked, options.recipe);
  set_part(asked, options.part);
  flow::check_options(options, options.recipe);
  return call.start<flow::CalibrateResult>(
      [&](const flow::Session& session) { return flow::calibrate(options, session); });
}

PythonRun profile(const Asked& asked) {
  const Call call(asked);
  flow::ProfileVerbOptions options;
  asked.set("model", options.model);
  if (asked.has("other")) asked.set("other", options.other.emplace());
  options.data = call.data(asked);
  asked.set("warm_up", options.profile.warm_up);
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
  return call.start<flow::BenchmarkOutcome>(
      [&](const flow::Session& session) { return flow::benchmark(options, session); });
}

PythonRun judge(const Asked& asked) {
  const Call call(asked);
  flow::JudgeOptions options;
  asked.set("runs", options.runs);
  return call.start<flow::JudgeResult>(
      [&](const flow::Session& session) { return flow::judge(options, session); });
}

nb::object merge(const Asked& asked) {
  const Call call(asked);
  flow::MergeOptions options;
  asked.set("output", options.output);
  std::vector<std::string> inputs;
  asked.set("inputs", inputs);
  options.inputs.assign(inputs.begin(), inputs.end());
  flow::MergeResult result;
  call.run_in_session(
      [&](const flow::Session& session) { result = flow::merge(options, session.store); });
  return to_python(result);
}

nb::object inspect(const Asked& asked) {
  const Call call(asked);
  fs::path model;
  asked.set("model", model);
  Inspection result;
  call.run_in_session([&](const flow::Session&) { result = flow::inspect(model); });
  return to_python(result);
}

/// Of a model's inputs by name, with the batch's axis: nothing is planned for it.
nb::object input_ranks(const Asked& asked) {
  const Call call(asked);
  fs::path path;
  asked.set("model", path);
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
  call.run_in_session([&](const flow::Session&) { result = flow::doctor(); });
  return to_python(result);
}

/// The broken run, and the mended one.
nb::object demo(const Asked& asked) {
  const Call call(asked);
  fs::path folder;
  asked.set("folder", folder);
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

template <auto verb>
void bind(nb::module_& module, const char* name) {
  module.def(name, [](nb::dict given) { return raising([&] { return verb(Asked(given)); }); });
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
  bind<doctor>(module, "doctor");
  bind<demo>(module, "demo");
}

}  // namespace quantlens::python
