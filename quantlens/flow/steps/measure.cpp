// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/measure.h"

#include <algorithm>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/command.h"
#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/diagnosis/diagnose.h"
#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/diagnosis/rules/observation.h"
#include "quantlens/diagnosis/rules/op_ids.h"
#include "quantlens/diagnosis/view/weights.h"
#include "quantlens/flow/steps/bare.h"
#include "quantlens/flow/steps/local_passes.h"
#include "quantlens/flow/steps/lockstep.h"
#include "quantlens/flow/steps/measured_shares.h"
#include "quantlens/flow/steps/observe.h"
#include "quantlens/record/histograms.h"
#include "quantlens/report/tables.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {

namespace {

void write_diagnosis(const Diagnosis& diagnosis, const std::string& histograms,
                     WorkloadWriter& workload) {
  workload.put(diagnosis);
  workload.put_bytes<Histograms>(histograms);
  workload.write(exported::kActivations,
                 to_csv(activations_table(diagnosis, ActivationOrder::mse)));
  workload.write(exported::kWeights, to_csv(weights_table(diagnosis)));
}

/// Encodes on another thread, where the session has a core for it.
std::future<std::string> encoded(const PairedModels& models, const TapState& state,
                                 const Session& session) {
  const auto how = session.threads > 1 ? std::launch::async : std::launch::deferred;
  return std::async(how, [&] {
    return histograms_to_bytes(state,
                               [&](const auto& tell) { for_each_weight_stats(models, tell); });
  });
}

/// What makes figures doubtful is in the report itself, which others read without the notes.
void add_caveat(const Dataset& dataset, Diagnosis& diagnosis) {
  const std::string caveat = dataset.caveat();
  if (caveat.empty()) return;
  diagnosis.conclusions.insert(diagnosis.conclusions.begin(),
                               {.says = "caveat", .figures = {{"text", figure::text(caveat)}}});
}

/// Diagnoses the two models, whose operators are of the same version where that can be had.
Diagnosis diagnose_aligned(const ModelPair& models, std::future<Lockstep> first,
                           const BareAnswers& bare, const Work& work) {
  const auto& [data, options, session, workload] = work;
  const Dataset& dataset = *data.opened.dataset;
  const SampleNames names = [&dataset](std::uint64_t sample) { return dataset.name(sample); };
  const Observed seen = observe(models, std::move(first), bare, work);
  const PairedModels paired(*seen.reference, *seen.quantized, seen.pairing);
  const LocalPasses passes{.models = paired,
                           .data = data,
                           .samples = std::min(options.local_samples, dataset.size()),
                           .session = session,
                           .folder = workload.folder()};
  std::optional<LocalRuns> local(passes);  // opened while what has accumulated is looked at
  Phase diagnosing(session.phases, "diagnose");
  Diagnosis diagnosis = diagnose(paired, seen.state, names);
  diagnosing.end();
  Phase locally(session.phases, "local passes");
  const SharesWithout shares = local->add_to(diagnosis, seen.state);
  local.reset();
  locally.end();
  const Phase finding(session.phases, "findings");
  std::future<std::string> histograms = encoded(paired, seen.state, session);
  add_findings(paired, measured_shares(passes, bare, shares), diagnosis);
  add_observation(seen.observation, diagnosis);
  add_op_ids(paired.reference.model.graph, diagnosis.findings);
  add_caveat(dataset, diagnosis);
  write_diagnosis(diagnosis, histograms.get(), workload);
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
    warn_of_classes(measured.accuracy->reference, *options.metric, session.progress);
    workload.put(AccuracyRecord(*measured.accuracy));
  }
  return measured;
}

Measured measure_samples(const ModelPair& models, const FittedData& data,
                         const MeasureOptions& options, const Session& session,
                         WorkloadWriter& workload) {
  const ModelPair files{own_file(models, options), models.quantized};
  if (!options.diagnose) {
    return measure_bare(run_bare(files, data, options, session), options, session, workload);
  }
  const bool are_aligned = are_of_one_version(models.reference, models.quantized);
  const Model reference = are_aligned ? Model() : upgraded(models.reference, session.progress);
  const Model quantized = are_aligned ? Model() : upgraded(models.quantized, session.progress);
  const ModelPair aligned = are_aligned ? models : ModelPair{reference, quantized};
  std::future<Lockstep> first = open_lockstep(aligned, session);
  const BareAnswers bare = run_bare(files, data, options, session);
  Measured measured = measure_bare(bare, options, session, workload);
  measured.diagnosis =
      diagnose_aligned(aligned, std::move(first), bare, {data, options, session, workload});
  return measured;
}

/// What a program says of the model's file.
Accuracy program_accuracy(const MetricSpec& metric, const Model& model, Progress& progress) {
  const ProgressStep step(progress, "evaluate", std::nullopt);
  return command_accuracy(metric, model.path, progress);
}

}  // namespace

void check_metric(const MetricSpec& metric, const Model& model, const FittedData& data,
                  const DataChoice& choice) {
  if (!needs_data(metric)) return;
  if (!data.opened.dataset->has_labels()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: has no labels, which --metric {} needs; add labels to the data or "
                            "leave --metric out",
                            choice.data, metric.name));
  }
  std::vector<OutputOutline> outputs;
  for (const ValueInfo& output : model.graph.outputs) {
    outputs.push_back({output.name, !output.dtype || is_float(*output.dtype)});
  }
  check_output(metric, outputs);
}

void warn_of_classes(const Accuracy& accuracy, const MetricSpec& metric, Progress& progress) {
  constexpr double kHardlyEver = 0.05;
  if (!accuracy.is_rate || accuracy.value >= kHardlyEver || metric.options.contains("label_offset"))
    return;
  progress.note(
      fmt::format("the model scores {:.1f} % only: are its classes numbered as the "
                  "labels are? With a background class first, give "
                  "{}:label_offset=1 (docs/metrics.md)",
                  100 * accuracy.value, metric.name));
}

Accuracy accuracy_alone(const Model& model, const FittedData* data, const MetricSpec& metric,
                        const Session& session) {
  if (!needs_data(metric)) return program_accuracy(metric, model, session.progress);
  AccuracySink sink(metric);
  BatchReader reader = make_reader(*data, session);  // reads while the model is opened
  const ClosingRun run = closing(open(model, nullptr, {}, run_options(session)), session.phases);
  feed(*run, reader, session.progress, "evaluate",
       [&](const Batch& batch, const Outputs& outputs) { sink.add(batch, outputs); });
  report_skipped(reader, session.progress);
  return sink.result();
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
    workload.put(AccuracyRecord(*measured.accuracy));
  }
  return measured;
}

}  // namespace quantlens::flow
