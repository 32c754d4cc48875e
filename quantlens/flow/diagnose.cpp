// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/diagnose.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/flow/steps/remedies/remedies.h"
#include "quantlens/flow/steps/stored/parts.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/record/data_of.h"

namespace quantlens::flow {
namespace {

/// What others gathered; nothing where this run does. Throws as `diagnose`.
std::optional<Parts> gathered_parts(const DiagnoseOptions& options, const Session& session) {
  if (options.gathered.empty()) return std::nullopt;
  Parts parts = read_parts(options.gathered, session);
  if (parts.left) return parts;
  throw Error(Errc::bad_input, fmt::format("{}: compared no two models; give runs of diagnose",
                                           printable(parts.runs.front().run.id)));
}

/// How many samples the runs looked at, one behind the other from the first one on.
std::uint64_t samples_in_a_row(const Parts& parts) {
  std::uint64_t end = 0;
  for (const StoredRun& stored : parts.runs) {
    const DataUsed* used = data_of(stored.run, DataRole::samples);
    if (used == nullptr) continue;
    if (!used->part) return used->samples;
    if (used->part->first == end) end += used->part->count;
  }
  return end;
}

/// That they are of these two files and of all samples.
void check_gathered(const Parts& parts, const Workload& run, const FittedData& data) {
  const Workload& theirs = parts.runs.front().run;
  for (const ModelRole role : {ModelRole::reference, ModelRole::quantized}) {
    const ModelFile *one = file_of(run, role), *other = file_of(theirs, role);
    if (one != nullptr && other != nullptr && one->sha256 == other->sha256) continue;
    throw Error(Errc::bad_input, fmt::format("{}: is of other files than these two; gather anew",
                                             printable(theirs.id)));
  }
  const std::uint64_t seen = samples_in_a_row(parts), all = sample_count(data);
  if (seen == all) return;
  throw Error(Errc::bad_input,
              fmt::format("{} and others looked at {} of {} samples; gather all parts",
                          printable(theirs.id), seen, all));
}

}  // namespace

DiagnoseResult diagnose(const DiagnoseOptions& options, const Session& session) {
  const Model reference = formats(session).read(options.reference);
  const Model quantized = formats(session).read(options.quantized);
  check_order(reference, quantized);
  FittedData data = fit_data(options.data, reference, session);
  if (options.metric) check_metric(*options.metric, reference, data);
  look_at(options.part, data);
  const std::optional<Parts> gathered = gathered_parts(options, session);
  const auto workload =
      begin_workload(session, "diagnose",
                     {{ModelRole::reference, &reference}, {ModelRole::quantized, &quantized}});
  describe_data(*workload, &data, options.metric ? metric_text(*options.metric) : "");
  DiagnoseResult result;
  result.folder = workload->folder();
  result.is_ours = has_stored_recipe(quantized);
  run_recorded(session, *workload, [&](const Session& recorded) {
    const auto made_from = quantized.metadata.find(kFloatModelKey);
    if (made_from != quantized.metadata.end() && made_from->second != reference_hash(*workload)) {
      recorded.progress.note(fmt::format(
          "{}: was made from an edited float model: inside the original, channels have other "
          "scales; compare with the file 'edited' of the workload that made it",
          printable(options.quantized.string())));
    }
    const std::optional<Model> like = made_ready_like(quantized, reference, recorded);
    if (like) put_if_other(*like, reference, *workload);
    if (gathered) {
      check_gathered(*gathered, workload->workload(), data);
      for (const std::string& note : gathered->notes) recorded.progress.note(note);
    }
    Measured measured = measure({like ? *like : reference, quantized}, &data,
                                {.diagnose = true,
                                 .metric = options.metric,
                                 .local_samples = options.local_samples,
                                 .original = &reference,
                                 .only_gather = options.only_gather,
                                 .gathered = gathered ? &*gathered : nullptr},
                                recorded, *workload);
    result.diagnosis = std::move(measured.diagnosis);
    result.accuracy = std::move(measured.accuracy);
    if (!result.diagnosis) return;
    write_remedies(remedies_of(*result.diagnosis), *workload);
    if (!uses_codes(quantized.graph)) {
      recorded.progress.note(
          fmt::format("{}: has no quantized op", printable(options.quantized.string())));
    }
    if (uses_codes(reference.graph)) {
      recorded.progress.note(
          fmt::format("{}: has quantized ops: figures compare with a model that "
                      "has lost something already",
                      printable(options.reference.string())));
    }
    if (result.diagnosis->paired == 0) {
      recorded.progress.note(
          "no value of the two models could be paired: is the second one made from the first?");
    }
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
