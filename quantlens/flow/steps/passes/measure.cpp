// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/measure.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/command.h"
#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/judge.h"
#include "quantlens/diagnosis/view/weights.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/passes/bare.h"
#include "quantlens/flow/steps/passes/local_passes.h"
#include "quantlens/flow/steps/passes/lockstep.h"
#include "quantlens/flow/steps/passes/measured_outputs.h"
#include "quantlens/flow/steps/passes/observe.h"
#include "quantlens/flow/steps/passes/recorded_outputs.h"
#include "quantlens/flow/steps/stored/parts.h"
#include "quantlens/flow/steps/stored/write_diagnosis.h"
#include "quantlens/record/histograms.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {

namespace {

/// Encodes on another thread, where the session has a core for it.
std::future<std::string> encoded(const PairedModels& models, const TapState& state,
                                 const Session& session) {
  const auto how = session.threads > 1 ? std::launch::async : std::launch::deferred;
  return std::async(how, [&] {
    return histograms_to_bytes(state,
                               [&](const auto& tell) { for_each_weight_stats(models, tell); });
  });
}

/// What is kept of a diagnosis, as far as it is known before it is judged.
Passes begun(const Observed& seen, const Dataset& dataset) {
  return {.local = {},
          .outputs = {},
          .observation = seen.observation,
          .samples = {},
          .caveat = dataset.caveat()};
}

/// The records that parts are put together from.
void keep_gathered(const PairedModels& paired, const Observed& seen, const Passes& gathered,
                   const Work& work) {
  work.workload.put(gathered);
  work.workload.put_bytes<Histograms>(encoded(paired, seen.state, work.session).get());
}

/// Diagnoses the two models, whose operators are of the same version where that can be had; nothing
/// where that is left to others.
std::optional<Diagnosis> diagnose_aligned(const ModelPair& models, std::future<Lockstep> first,
                                          const BareAnswers& bare, const Work& work) {
  const auto& [data, options, session, workload] = work;
  const Dataset& dataset = *data.opened.dataset;
  Observed seen = observe(models, std::move(first), bare, work);
  if (options.gathered != nullptr) seen.state = options.gathered->left->histograms.state;
  const PairedModels paired(*seen.reference, *seen.quantized, seen.pairing);
  if (options.only_gather) {
    keep_gathered(paired, seen, begun(seen, dataset), work);
    return std::nullopt;
  }
  const LocalPasses passes{.models = paired,
                           .data = data,
                           .samples = std::min(options.local_samples, sample_count(data)),
                           .session = session,
                           .folder = workload.folder()};
  std::optional<LocalRuns> local(passes);  // opened while what has accumulated is looked at
  const std::unique_ptr<OutputErrors> measured = measured_outputs(passes, bare);
  Passes gathered = begun(seen, dataset);
  RecordedOutputs outputs(*measured, gathered);
  std::future<std::string> histograms;
  const auto run_local = [&]() -> const LocalStates& {
    gathered.local = local->gathered();
    local.reset();
    histograms = encoded(paired, seen.state, work.session);  // while findings are looked for
    return gathered.local;
  };
  Diagnosis diagnosis =
      judge(paired, {.accumulated = seen.state,
                     .local = run_local,
                     .outputs = outputs,
                     .observation = gathered.observation,
                     .names = [&](std::uint64_t sample) { return dataset.name(sample); },
                     .caveat = gathered.caveat,
                     .phases = session.phases});
  gathered.samples = named_samples(diagnosis);
  const Phase writing(session.phases, "findings");
  if (!histograms.valid()) histograms = encoded(paired, seen.state, session);
  workload.put(gathered);
  workload.put_bytes<Histograms>(histograms.get());
  write_diagnosis(diagnosis, workload);
  return diagnosis;
}

/// The float model that is told of.
const Model& own_file(const ModelPair& models, const MeasureOptions& options) {
  return options.original != nullptr ? *options.original : models.reference;
}

/// The accuracy is that of the bare files, which also say whether looking at them changes them.
Measured measure_bare(const BareAnswers& bare, const MeasureOptions& options,
                      const Session& session, WorkloadWriter& workload) {
  Measured measured{.diagnosis = {}, .accuracy = bare.accuracy};
  if (measured.accuracy) {
    warn_of_classes(*measured.accuracy->reference, *options.metric, session.progress);
    workload.put(*measured.accuracy);
    if (bare.accuracy_state) workload.put(*bare.accuracy_state);
  }
  return measured;
}

/// The accuracy of all samples of the parts.
void take_accuracy(const Parts& parts, BareAnswers& bare) {
  if (!parts.accuracy) return;
  AccuracyPairSink sink(metric_of(*parts.accuracy), {});
  sink.merge(*parts.accuracy);
  bare.accuracy = sink.result();
  bare.accuracy_state = parts.accuracy;
}

/// So many samples have `count` among them that could be read; absent: there are not so many.
std::optional<std::uint64_t> first_with(const SampleSet& read, std::uint64_t count) {
  for (const SampleSet::Range& range : read.ranges()) {
    const std::uint64_t size = range.last - range.first + 1;
    if (size >= count) return range.first + count;
    count -= size;
  }
  return std::nullopt;
}

std::uint64_t whole_batches(std::uint64_t samples, std::uint64_t batch) {
  return (samples + batch - 1) / batch * batch;
}

/// What is run where others have gathered: the first samples alone, in whole batches, unscored.
MeasureOptions to_complete(MeasureOptions options, const FittedData& data) {
  const std::uint64_t batch = data.opened.batch_size;
  options.samples = first_with(options.gathered->left->histograms.state.samples,
                               whole_batches(kShareSamples, batch));
  if (options.samples) options.samples = whole_batches(*options.samples, batch);
  options.metric.reset();
  return options;
}

Measured measure_samples(const ModelPair& models, const FittedData& data,
                         const MeasureOptions& options, const Session& session,
                         WorkloadWriter& workload) {
  const ModelPair files{own_file(models, options), models.quantized};
  if (!options.diagnose) {
    return measure_bare(run_bare(files, data, options, session), options, session, workload);
  }
  const AlignedModels aligned(models, session.progress);
  const ModelPair pair = aligned.pair();
  if (aligned.are_upgraded()) {
    put_if_other(pair.reference, files.reference, workload);
    workload.put(QuantizedOutline{drawn(pair.quantized, files.quantized)});
  }
  const MeasureOptions run = options.gathered != nullptr ? to_complete(options, data) : options;
  std::future<Lockstep> first = open_lockstep(pair, session);
  BareAnswers bare = run_bare(files, data, run, session);
  if (options.gathered != nullptr) take_accuracy(*options.gathered, bare);
  Measured measured = measure_bare(bare, options, session, workload);
  measured.diagnosis =
      diagnose_aligned(pair, std::move(first), bare, {data, run, session, workload});
  return measured;
}

/// What a program says of the model's file.
Accuracy program_accuracy(const MetricSpec& metric, const Model& model, Progress& progress) {
  const ProgressStep step(progress, "evaluate", std::nullopt);
  return command_accuracy(metric, model.path, progress);
}

}  // namespace

void check_metric(const MetricSpec& metric, const Model& model, const FittedData& data) {
  if (!needs_data(metric)) return;
  if (!data.opened.dataset->has_labels()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: has no labels, which --metric {} needs; add labels to the data or "
                            "leave --metric out",
                            printable(data.source), metric.name));
  }
  std::vector<OutputOutline> outputs;
  for (const ValueInfo& output : model.graph.outputs) {
    outputs.push_back({output.name, !output.dtype || is_float(*output.dtype)});
  }
  check_output(metric, outputs);
}

void warn_of_classes(const Accuracy& accuracy, const MetricSpec& metric, Progress& progress) {
  constexpr double kHardlyEver = 0.05;
  if (!accuracy.is_rate || accuracy.value >= kHardlyEver || metric.make ||
      metric.options.contains("label_offset"))
    return;
  progress.note(
      fmt::format("the model scores {:.1f} % only: are its classes numbered as the "
                  "labels are? With a background class first, give "
                  "{}:label_offset=1 (docs/metrics.md)",
                  100 * accuracy.value, metric.name));
}

ScoredAlone score_alone(const Model& model, const FittedData* data, const MetricSpec& metric,
                        const Session& session) {
  if (!needs_data(metric)) return {program_accuracy(metric, model, session.progress), {}};
  AccuracySink sink(metric);
  BatchReader reader = make_reader(*data, session);  // reads while the model is opened
  const ClosingRun run = closing(open(model, nullptr, {}, run_options(session)), session.phases);
  feed(*run, reader, session.progress, "evaluate",
       [&](const Batch& batch, const Outputs& outputs) { sink.add(batch, outputs); });
  report_skipped(reader, session.progress);
  return {sink.result(), keeps_state(metric) ? std::optional(sink.state()) : std::nullopt};
}

Accuracy accuracy_alone(const Model& model, const FittedData* data, const MetricSpec& metric,
                        const Session& session) {
  return score_alone(model, data, metric, session).accuracy;
}

Measured measure(const ModelPair& models, const FittedData* data, const MeasureOptions& options,
                 const Session& session, WorkloadWriter& workload) {
  const bool asks_program = options.metric && !needs_data(*options.metric);
  MeasureOptions of_samples = options;
  if (asks_program) of_samples.metric.reset();
  Measured measured;
  if (of_samples.diagnose || of_samples.metric) {
    measured = measure_samples(models, *data, of_samples, session, workload);
  }
  if (asks_program) {
    measured.accuracy =
        paired(program_accuracy(*options.metric, own_file(models, options), session.progress),
               program_accuracy(*options.metric, models.quantized, session.progress));
    workload.put(*measured.accuracy);
  }
  return measured;
}

}  // namespace quantlens::flow
