// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/benchmark.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/passes/benchmark_data.h"
#include "quantlens/flow/steps/passes/session_workers.h"
#include "quantlens/profiling/benchmark/benchmark.h"
#include "quantlens/profiling/benchmark/core_layout.h"
#include "quantlens/profiling/benchmark/instance.h"
#include "quantlens/profiling/benchmark/instances.h"
#include "quantlens/profiling/benchmark/topology.h"
#include "quantlens/runtime/formats.h"

namespace quantlens::flow {
namespace {

using CoreSets = std::vector<std::vector<unsigned>>;

/// The cores of each instance; empty where there are to be none.
CoreSets cores_of(const BenchmarkOptions& options) {
  if (!options.instances && !options.cores_per_instance) return {};
  const unsigned count = available_cores();  // a quota may leave less than the affinity
  const unsigned instances = options.instances.value_or(1);
  const unsigned each = options.cores_per_instance.value_or(std::max(1U, count / instances));
  check_room(instances, each, count);
  return core_layout(read_topology(allowed_cpus(), "/"), instances, each);
}

/// All that a benchmark needs, checked.
struct Setup {
  BenchmarkOptions options;
  std::vector<std::unique_ptr<Model>> models;
  std::optional<FittedData> data;  ///< in batches of the first size
  std::vector<std::uint64_t> batch_sizes;
  CoreSets cores;
  std::shared_ptr<Workers> workers;  ///< where models are timed; null: in this process
};

std::vector<std::unique_ptr<Model>> read_models(const std::vector<std::string>& paths,
                                                const Formats& formats) {
  std::vector<std::unique_ptr<Model>> models;
  models.reserve(paths.size());
  for (const std::string& path : paths) {
    models.push_back(std::make_unique<Model>(formats.read(path)));
  }
  return models;
}

std::vector<std::string> paths_of(const BenchmarkOptions& options) {
  std::vector<std::string> paths{options.model.string()};
  if (options.other) paths.push_back(options.other->string());
  return paths;
}

/// Instances load what they time themselves, and read it whole.
void check_instances(std::span<const Model* const> models, const Session& session) {
  if (!session.ends.is_whole()) {
    throw Error(Errc::usage,
                "instances run whole models; leave out --instances and --cores-per-instance, or "
                "--inputs and --outputs");
  }
  const Formats known = formats(session);
  for (const Model* model : models) {
    if (!known.runs_apart(*model)) continue;
    throw Error(Errc::unsupported,
                fmt::format("{}: models of format '{}' are timed in one worker; leave out "
                            "--instances and --cores-per-instance",
                            printable(model->path.string()), printable(model->format)));
  }
}

/// Every batch size must suit the model before the first is timed.
void check_data(Setup& setup, Progress& progress) {
  const Model& model = *setup.models.at(0);
  const DataChoice& choice = setup.options.data;
  if (setup.options.batch_sizes.empty()) {
    setup.data = benchmark_data(choice, {}, model, progress);
    setup.batch_sizes = {setup.data->opened.batch_size};
    return;
  }
  NoProgress silent;
  for (const std::uint64_t size : setup.options.batch_sizes) {
    if (std::ranges::find(setup.batch_sizes, size) != setup.batch_sizes.end()) continue;
    FittedData data = benchmark_data(choice, size, model, setup.data ? silent : progress);
    if (!setup.data) setup.data = std::move(data);
    setup.batch_sizes.push_back(size);
  }
}

Setup set_up(const BenchmarkOptions& options, const Session& session) {
  if (options.data.samples && (options.instances || options.cores_per_instance)) {
    throw Error(Errc::usage,
                "instances are processes of their own, which read their data from files; leave out "
                "instances, or give a file");
  }
  Setup setup{.options = options,
              .models = {},
              .data = {},
              .batch_sizes = {},
              .cores = cores_of(options),
              .workers = {}};
  setup.models = read_models(paths_of(options), formats(session));
  std::vector<const Model*> models;
  for (const auto& model : setup.models) models.push_back(model.get());
  setup.workers = session_workers(session, models);
  if (!setup.cores.empty()) check_instances(models, session);
  check_data(setup, session.progress);
  return setup;
}

/// For each model the batches in its own words.
std::vector<TimedModel> timed_models(const std::vector<std::unique_ptr<Model>>& models,
                                     const std::vector<Batch>& batches) {
  std::vector<TimedModel> timed;
  timed.reserve(models.size());
  for (const auto& model : models) {
    timed.push_back({model.get(), batches_for(*model, *models.at(0), batches)});
  }
  return timed;
}

std::vector<ModelTimes> empty_times(const Setup& setup, std::uint64_t batch_size,
                                    unsigned threads) {
  std::vector<ModelTimes> times;
  for (const auto& model : setup.models) {
    times.push_back({.model = model->path.string(),
                     .batch_size = batch_size,
                     .threads = threads,
                     .instances = {}});
    times.back().instances.resize(std::max<std::size_t>(1, setup.cores.size()));
    for (std::size_t i = 0; i < setup.cores.size(); ++i) {
      times.back().instances[i].cores = setup.cores[i];
    }
  }
  return times;
}

/// In this process, or all in one worker.
std::vector<ModelTimes> time_here(const Setup& setup, std::uint64_t batch_size,
                                  const Session& session) {
  NoProgress silent;  // what there is to say was said when the data were checked
  const FittedData data = benchmark_data(setup.options.data, batch_size, *setup.models[0], silent);
  const std::vector<TimedModel> models =
      timed_models(setup.models, benchmark_batches(data, session));
  RoundOptions round = setup.options.round;
  if (round.threads == 0) round.threads = session.threads;
  std::vector<ModelTimes> times = empty_times(setup, batch_size, round.threads);
  round.loadings = models.size();  // each is loaded first once
  const auto stop = [&] { return session.progress.stop_requested(); };
  for (std::uint64_t i = 0; i < setup.options.rounds * models.size(); ++i) {
    auto runs_us = time_loading(models, i % models.size(), round, stop, setup.workers.get());
    for (std::size_t m = 0; m < models.size(); ++m) {
      times[m].instances[0].loadings.push_back(std::move(runs_us[m]));
    }
    session.progress.advance(1);
  }
  return times;
}

std::vector<InstanceJob> jobs_of(const Setup& setup, std::uint64_t batch_size, unsigned threads) {
  std::vector<InstanceJob> jobs;
  const DataChoice& data = setup.options.data;
  for (const std::vector<unsigned>& cores : setup.cores) {
    jobs.push_back({.models = paths_of(setup.options),
                    .data = data.data,
                    .batch_size = batch_size,
                    .seed = data.options.seed,
                    .round = setup.options.round,
                    .cores = cores});
    jobs.back().round.threads = threads;
  }
  return jobs;
}

/// In processes of their own, all of one model at a time.
std::vector<ModelTimes> time_instances(const Setup& setup, std::uint64_t batch_size,
                                       const Session& session) {
  unsigned threads = setup.options.round.threads;
  if (threads == 0) threads = static_cast<unsigned>(setup.cores[0].size());
  InstancesOptions how{.program = setup.options.program,
                       .stop = [&] { return session.progress.stop_requested(); }};
  if (session.isolation) how.timeout_seconds = session.isolation->timeout_seconds;
  Instances instances(jobs_of(setup, batch_size, threads), how);
  std::vector<ModelTimes> times = empty_times(setup, batch_size, threads);
  for (std::uint64_t i = 0; i < setup.options.rounds; ++i) {
    for (std::size_t k = 0; k < times.size(); ++k) {
      const std::size_t m = (i + k) % times.size();
      auto runs_us = instances.time_round(m);
      for (std::size_t n = 0; n < runs_us.size(); ++n) {
        times[m].instances[n].loadings.push_back(std::move(runs_us[n]));
      }
      session.progress.advance(1);
    }
  }
  return times;
}

void add_times(const std::vector<ModelTimes>& times, Order order, Benchmark& benchmark) {
  for (const ModelTimes& model : times) benchmark.results.push_back(benchmark_result(model));
  if (times.size() > 1) benchmark.ratios.push_back(benchmark_ratio(times[0], times[1], order));
}

}  // namespace

void check_options(const BenchmarkOptions& options) {
  cores_of(options);
}

BenchmarkOutcome benchmark(const BenchmarkOptions& options, const Session& session) {
  const Setup setup = set_up(options, session);
  std::vector<std::pair<ModelRole, const Model*>> models{
      {ModelRole::reference, setup.models[0].get()}};
  if (options.other) models.emplace_back(ModelRole::quantized, setup.models[1].get());
  const auto workload = begin_workload(session, "benchmark", models);
  describe_data(*workload, &*setup.data);
  BenchmarkOutcome outcome;
  outcome.folder = workload->folder();
  outcome.benchmark.emplace();
  run_recorded(session, *workload, [&](const Session& recorded) {
    recorded.progress.begin("benchmark", models.size() * setup.batch_sizes.size() * options.rounds);
    const bool here = setup.cores.empty();
    for (const std::uint64_t size : setup.batch_sizes) {
      const auto times =
          here ? time_here(setup, size, recorded) : time_instances(setup, size, recorded);
      add_times(times, here ? Order::in_turn : Order::apart, *outcome.benchmark);
      workload->put(*outcome.benchmark);
    }
    recorded.progress.end();
  });
  outcome.run = workload->workload();
  return outcome;
}

void serve_benchmark_instance(int socket) {
  serve_instance(socket, [](const InstanceJob& job) {
    DiskStore store;
    NoProgress silent;
    const Session session{.store = store,
                          .progress = silent,
                          .workspace = {},
                          .name = {},
                          .arguments = {},
                          .threads = static_cast<unsigned>(job.cores.size())};
    PreparedModels setup{.models = read_models(job.models, Formats()), .timed = {}};
    const DataChoice choice{.data = job.data,
                            .options = {.limit = {}, .batch_size = {}, .seed = job.seed}};
    const FittedData data = benchmark_data(choice, job.batch_size, *setup.models.at(0), silent);
    setup.timed = timed_models(setup.models, benchmark_batches(data, session));
    return setup;
  });
}

}  // namespace quantlens::flow
