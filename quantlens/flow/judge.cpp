// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/judge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/judge.h"
#include "quantlens/diagnosis/view/gathered.h"
#include "quantlens/flow/steps/models/model_pair.h"
#include "quantlens/flow/steps/passes/recorded_outputs.h"
#include "quantlens/flow/steps/remedies/remedies.h"
#include "quantlens/flow/steps/stored/parts.h"
#include "quantlens/flow/steps/stored/stored_run.h"
#include "quantlens/flow/steps/stored/write_diagnosis.h"

namespace quantlens::flow {
namespace {

/// Pairs whose statistics are not there have no row: of a run whose files do not go together, or
/// whose values have names that are no UTF-8, which its JSON tells otherwise.
void note_without_statistics(const Left& left, Progress& progress) {
  std::vector<std::string> missing;
  for (const ValuePair& pair : left.pairing.pairs) {
    const ValuePair& gathered = pair.same_as ? left.pairing.pairs[*pair.same_as] : pair;
    if (gathered_of(left.histograms.state, gathered.reference, gathered.quantized) == nullptr) {
      missing.push_back(printable(pair.reference));
    }
  }
  constexpr std::size_t kNamed = 3;
  if (missing.empty()) return;
  const std::size_t count = missing.size();
  missing.resize(std::min(count, kNamed));
  progress.note(fmt::format("{} of {} {} no statistics in {} and therefore no row: {}{}",
                            counted(count, "pair"), FileOf<Pairing>::kName,
                            count == 1 ? "has" : "have", FileOf<Histograms>::kName,
                            fmt::join(missing, ", "), count > kNamed ? ", …" : ""));
}

/// The diagnosis of the two models in the forms that were looked at.
Diagnosis judged(const Model& reference, const Model& quantized, const Left& left,
                 const Session& session) {
  const std::optional<Model> like = made_ready_like(quantized, reference, session);
  const AlignedModels aligned({like ? *like : reference, quantized}, session.progress);
  const Indexed of_reference = indexed(aligned.pair().reference);
  const Indexed of_quantized = indexed(aligned.pair().quantized);
  const PairedModels models(of_reference, of_quantized, left.pairing);
  std::map<std::uint64_t, std::string> names;
  for (const SampleName& sample : left.passes.samples) names[sample.sample] = sample.name;
  StoredOutputs outputs(left.passes);
  return quantlens::judge(models,
                          {.accumulated = left.histograms.state,
                           .local = [&]() -> const LocalStates& { return left.passes.local; },
                           .outputs = outputs,
                           .observation = left.passes.observation,
                           .names = [&](std::uint64_t sample) { return names[sample]; },
                           .caveat = left.passes.caveat,
                           .phases = session.phases});
}

/// The accuracy of all samples of the state.
void add_accuracy(const AccuracyState& state, RunRecords& records, WorkloadWriter& workload) {
  const MetricSpec metric = metric_of(state);
  if (state.reference) {
    AccuracyPairSink sink(metric, {});
    sink.merge(state);
    records.accuracy = sink.result();
  } else {
    AccuracySink sink(metric);
    sink.merge(state);
    records.accuracy.emplace().quantized = sink.result();
  }
  workload.put(*records.accuracy);
  workload.put(state);
}

/// The models that the runs looked at, by role.
struct StoredModels {
  std::optional<Model> reference;  ///< absent of runs that scored one model
  Model quantized;

  std::vector<std::pair<ModelRole, const Model*>> by_role() const {
    std::vector<std::pair<ModelRole, const Model*>> models{{ModelRole::quantized, &quantized}};
    if (reference) models.insert(models.begin(), {ModelRole::reference, &*reference});
    return models;
  }
};

StoredModels models_of(const Parts& parts, const Session& session) {
  const StoredRun& first = parts.runs.front();
  StoredModels models;
  const ModelFile* reference = file_of(first.run, ModelRole::edited);
  if (reference == nullptr) reference = file_of(first.run, ModelRole::reference);
  if (reference != nullptr || parts.left) models.reference = read_again(reference, first, session);
  models.quantized = read_again(file_of(first.run, ModelRole::quantized), first, session);
  return models;
}

/// Everything that the runs looked at, in order.
std::vector<DataUsed> data_of(const std::vector<StoredRun>& runs) {
  std::vector<DataUsed> data;
  for (const StoredRun& stored : runs) {
    data.insert(data.end(), stored.run.data.begin(), stored.run.data.end());
  }
  return data;
}

std::string ids_of(const std::vector<StoredRun>& runs) {
  std::vector<std::string> ids;
  ids.reserve(runs.size());
  for (const StoredRun& stored : runs) ids.push_back(printable(stored.run.id));
  return fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace

JudgeResult judge(const JudgeOptions& options, const Session& session) {
  const Parts parts = read_parts(options.runs, session);
  const Workload& first = parts.runs.front().run;
  Session named = session;
  named.ends = {.inputs = first.inputs, .outputs = first.outputs};
  const StoredModels models = models_of(parts, named);
  if (named.name.empty()) named.name = first.name;
  const auto workload = begin_workload(named, options.verb, models.by_role());
  workload->describe(data_of(parts.runs), first.metric);
  JudgeResult result;
  result.folder = workload->folder();
  run_recorded(named, *workload, [&](const Session& recorded) {
    if (options.verb == "judge")
      recorded.progress.note(fmt::format("judges what {} gathered", ids_of(parts.runs)));
    for (const std::string& note : parts.notes) recorded.progress.note(note);
    if (parts.accuracy) {
      add_accuracy(*parts.accuracy, result, *workload);
    } else if (!first.metric.empty()) {
      recorded.progress.note(
          fmt::format("the accuracy is left out: there is no {}", FileOf<AccuracyState>::kName));
    }
    if (!parts.left) return;
    note_without_statistics(*parts.left, recorded.progress);
    Diagnosis diagnosis = judged(*models.reference, models.quantized, *parts.left, recorded);
    workload->put(parts.left->pairing);
    workload->put(parts.left->passes);
    workload->put(parts.left->histograms);
    write_diagnosis(diagnosis, *workload);
    write_remedies(remedies_of(diagnosis), *workload);
    result.diagnosis = std::move(diagnosis);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
