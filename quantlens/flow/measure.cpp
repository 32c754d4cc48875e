// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/measure.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "quantlens/accuracy/command.h"
#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/diagnosis/diagnose.h"
#include "quantlens/diagnosis/pair.h"
#include "quantlens/diagnosis/rules/find.h"
#include "quantlens/diagnosis/suspects.h"
#include "quantlens/flow/local_passes.h"
#include "quantlens/flow/measured_shares.h"
#include "quantlens/report/tables.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {

namespace {

/// Lists pairs that are left out, and those that are only moved from them. They are no suspects.
void note_not_tapped(std::span<const NotTapped> not_tapped, Pairing& pairing) {
  for (const NotTapped& missed : not_tapped) {
    for (const ValuePair& pair : pairing.pairs) {
      const ValuePair& source = pair.same_as ? pairing.pairs.at(*pair.same_as) : pair;
      if (source.reference != missed.value || source.quantized != missed.quantized) continue;
      pairing.not_compared.push_back({pair.reference, missed.reason});
      std::erase_if(pairing.suspects, [&](const SuspectPair& suspect) {
        return suspect.value == pair.reference && suspect.quantized == pair.quantized;
      });
    }
  }
}

/// Whether there are pairs that the values of a first sample must speak for.
bool has_doubts(const Pairing& pairing) {
  return std::ranges::any_of(pairing.pairs, needs_proof);
}

void write_diagnosis(const Diagnosis& diagnosis, const TapState& state, WorkloadWriter& workload) {
  workload.write("diagnosis.json", json::dump(json::encode(diagnosis)));
  workload.write("histograms.bin", to_bytes(state));
  workload.write("activations_table.csv",
                 to_csv(activations_table(diagnosis, ActivationOrder::mse)));
  workload.write("weights_table.csv", to_csv(weights_table(diagnosis)));
}

/// Runs the two models, whose operators are of the same version where that can be had.
Measured measure_aligned(const ModelPair& models, const FittedData& data,
                         const MeasureOptions& options, const Session& session,
                         WorkloadWriter& workload) {
  const auto& [reference, quantized] = models;
  Pairing pairing;
  if (options.diagnose) pairing = pair(reference, quantized);
  auto run = open(reference, &quantized, taps_for(pairing), run_options(session));
  const std::size_t not_placed = run->not_tapped().size();
  note_not_tapped(run->not_tapped(), pairing);
  const auto write_pairing = [&] {
    workload.write("pairing.json", json::dump(json::encode(pairing)));
  };
  if (options.diagnose) write_pairing();

  const Dataset& dataset = *data.opened.dataset;
  const SampleNames names = [&dataset](std::uint64_t sample) { return dataset.name(sample); };
  std::optional<AccuracyPairSink> accuracy;
  if (options.metric) accuracy.emplace(*options.metric, names);
  std::optional<TapState> first;  // of the first batch alone, where it has to be looked at
  const bool look_at_first = options.diagnose && has_doubts(pairing);
  BatchReader reader = make_reader(data, session, options.samples);
  feed(*run, reader, session.progress, options.diagnose ? "diagnose" : "evaluate",
       [&](const Batch& batch, const Outputs& outputs) {
         if (accuracy) accuracy->add(batch, outputs);
         if (!look_at_first || first) return;
         first = run->take();
         find_suspects(*first, batch.samples.front(), pairing);
         if (!pairing.suspects.empty()) write_pairing();
       });
  report_skipped(reader, session.progress);

  Measured measured;
  if (accuracy) {
    measured.accuracy = accuracy->result();
    warn_of_classes(measured.accuracy->reference, *options.metric, session.progress);
    workload.write("accuracy.json", json::dump(json::encode(*measured.accuracy)));
  }
  if (options.diagnose) {
    TapState state = run->take();
    const auto dropped = std::span(run->not_tapped()).subspan(not_placed);
    if (!dropped.empty()) {
      note_not_tapped(dropped, pairing);
      write_pairing();
    }
    if (first) {
      leave_out(run->not_tapped(), *first);
      merge(state, *first);
    }
    measured.diagnosis = diagnose(reference, quantized, pairing, state, names);
    run.reset();  // two open at once would need twice the memory
    const LocalPasses passes{.models = models,
                             .data = data,
                             .samples = std::min(options.local_samples, dataset.size()),
                             .pairing = pairing,
                             .session = session,
                             .folder = workload.folder()};
    const SharesWithout shares = add_local_passes(passes, state, *measured.diagnosis);
    add_findings(reference, quantized, pairing, {shares, measured_shares(passes)},
                 *measured.diagnosis);
    write_diagnosis(*measured.diagnosis, state, workload);
  }
  return measured;
}

Measured measure_samples(const ModelPair& models, const FittedData& data,
                         const MeasureOptions& options, const Session& session,
                         WorkloadWriter& workload) {
  if (models.reference.opsets != models.quantized.opsets) {
    const Model reference = upgraded(models.reference, session.progress);
    const Model quantized = upgraded(models.quantized, session.progress);
    return measure_aligned({reference, quantized}, data, options, session, workload);
  }
  return measure_aligned(models, data, options, session, workload);
}

/// A step of progress that ends however it is left.
class OpenStep {
 public:
  explicit OpenStep(Progress& progress) : progress_(progress) { progress_.begin("evaluate", {}); }
  ~OpenStep() { progress_.end(); }
  OpenStep(const OpenStep&) = delete;
  OpenStep& operator=(const OpenStep&) = delete;

 private:
  Progress& progress_;
};

/// What a program says of the model's file.
Accuracy program_accuracy(const MetricSpec& metric, const Model& model, Progress& progress) {
  const OpenStep step(progress);
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
  std::vector<std::string> outputs;
  for (const ValueInfo& output : model.graph.outputs) outputs.push_back(output.name);
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
  const auto run = open(model, nullptr, {}, run_options(session));
  AccuracySink sink(metric);
  BatchReader reader = make_reader(*data, session);
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
        paired(program_accuracy(*options.metric, models.reference, session.progress),
               program_accuracy(*options.metric, models.quantized, session.progress));
    workload.write("accuracy.json", json::dump(json::encode(*measured.accuracy)));
  }
  return measured;
}

}  // namespace quantlens::flow
