// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/judge.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/judge.h"
#include "quantlens/flow/steps/recorded_outputs.h"
#include "quantlens/flow/steps/remedies.h"
#include "quantlens/flow/steps/write_diagnosis.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

/// A run by its id, or by its folder in a workspace that need not be the session's.
struct StoredRun {
  Workload run;
  fs::path folder;
};

StoredRun find_run(const std::string& text, const Session& session) {
  std::error_code none;
  if (!fs::is_directory(text, none)) {
    const Workspace workspace = workspace_of(session);
    return {workspace.find(text), workspace.folder(text)};
  }
  const fs::path folder = fs::canonical(text);
  const Workspace workspace(session.store, folder.parent_path().parent_path());
  return {workspace.find(folder.filename().string()), folder};
}

/// What the earlier run left.
struct Left {
  Pairing pairing;
  Histograms histograms;
  Passes passes;
};

template <class Record>
Record wanted(const WorkloadReader& reader, const StoredRun& stored) {
  std::optional<Record> record = reader.get<Record>();
  if (record) return *std::move(record);
  throw Error(Errc::not_found,
              fmt::format("{}: has no {}: only what diagnose and quantize --diagnose of quantlens "
                          "0.1 or later wrote can be judged again; run it again",
                          printable(stored.run.id), FileOf<Record>::kName));
}

Left left_by(const StoredRun& stored, const Store& store) {
  const WorkloadReader reader(store, stored.folder);
  return {.pairing = wanted<Pairing>(reader, stored),
          .histograms = wanted<Histograms>(reader, stored),
          .passes = wanted<Passes>(reader, stored)};
}

/// The last one of this role; null: there is none.
const ModelFile* file_of(const Workload& run, std::string_view role) {
  const ModelFile* found = nullptr;
  for (const ModelFile& model : run.models) {
    if (model.role == role) found = &model;
  }
  return found;
}

/// The model as it was then.
Model read_again(const ModelFile* file, const StoredRun& stored, const Session& session) {
  if (file == nullptr) {
    throw Error(Errc::not_found, fmt::format("{}: names no two models: nothing was compared",
                                             printable(stored.run.id)));
  }
  Model model = formats(session).read(file->path);
  if (model_file(file->role, model).sha256 == file->sha256) return model;
  throw Error(Errc::bad_input,
              fmt::format("{}: is not the file that {} looked at (its SHA-256 is another one); put "
                          "that one back, or diagnose this one",
                          printable(file->path), printable(stored.run.id)));
}

/// The diagnosis of the two models in the forms that were looked at.
Diagnosis judged(const Model& reference, const Model& quantized, const Left& left,
                 const Session& session) {
  const std::optional<Model> like = made_ready_like(quantized, reference, session);
  const Model& ready = like ? *like : reference;
  const bool are_aligned = are_of_one_version(ready, quantized);
  const Model newer = are_aligned ? Model() : upgraded(ready, session.progress);
  const Model newer_quantized = are_aligned ? Model() : upgraded(quantized, session.progress);
  const Indexed of_reference = indexed(are_aligned ? ready : newer);
  const Indexed of_quantized = indexed(are_aligned ? quantized : newer_quantized);
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

}  // namespace

JudgeResult judge(const JudgeOptions& options, const Session& session) {
  const StoredRun stored = find_run(options.run, session);
  const Left left = left_by(stored, session.store);
  const ModelFile* edited = file_of(stored.run, "edited");
  const Model reference =
      read_again(edited != nullptr ? edited : file_of(stored.run, "reference"), stored, session);
  const Model quantized = read_again(file_of(stored.run, "quantized"), stored, session);
  Session named = session;
  if (named.name.empty()) named.name = stored.run.name;
  const auto workload =
      begin_workload(named, "judge", {{"reference", &reference}, {"quantized", &quantized}});
  workload->describe(stored.run.data, stored.run.metric);
  JudgeResult result;
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    recorded.progress.note(fmt::format("judges what {} gathered", printable(stored.run.id)));
    Diagnosis diagnosis = judged(reference, quantized, left, recorded);
    workload->put(left.pairing);
    workload->put(left.passes);
    workload->put(left.histograms);
    write_diagnosis(diagnosis, *workload);
    write_remedies(remedies_of(diagnosis), *workload);
    result.diagnosis = std::move(diagnosis);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
