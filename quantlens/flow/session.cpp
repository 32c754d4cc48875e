// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/session.h"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/cpu.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/files.h"
#include "quantlens/diagnosis/match/edited_weights.h"
#include "quantlens/flow/steps/stored/recorded_progress.h"
#include "quantlens/flow/version.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/graph/outline.h"
#include "quantlens/quantizer/edit/fold_before.h"
#include "quantlens/quantizer/edit/fold_through.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/runtime/constants.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {

bool takes_batches(const Model& model) {
  std::optional<std::int64_t> batch;
  for (const ValueInfo& input : model.graph.inputs) {
    if (!input.shape) continue;
    if (input.shape->empty()) return false;
    const std::optional<std::int64_t> extent = input.shape->front().extent;
    if (!extent) continue;
    if (batch.value_or(*extent) != *extent) return false;
    batch = extent;
  }
  return true;
}

namespace {

/// Whether the model says how many samples a batch has.
bool fixes_batches(const Model& model) {
  return takes_batches(model) &&
         std::ranges::any_of(model.graph.inputs, [](const ValueInfo& input) {
           return input.shape && input.shape->front().extent;
         });
}

}  // namespace

std::vector<InputSpec> input_specs(const Model& model) {
  const bool batches = takes_batches(model);
  std::vector<InputSpec> specs;
  for (const ValueInfo& input : model.graph.inputs) {
    if (!input.dtype) {
      throw Error(Errc::unsupported,
                  fmt::format("{}: input '{}' is no tensor of a known element type; quantlens "
                              "feeds tensors only",
                              model.path.string(), printable(input.name)));
    }
    InputSpec spec{.name = input.name, .dtype = *input.dtype, .shape = {}};
    if (input.shape) {
      if (!batches) spec.shape.push_back(1);
      for (const Dim& dim : *input.shape) spec.shape.push_back(dim.extent.value_or(-1));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

Session with_progress(const Session& session, Progress& progress) {
  return {.store = session.store,
          .progress = progress,
          .workspace = session.workspace,
          .name = session.name,
          .arguments = session.arguments,
          .threads = session.threads,
          .strict = session.strict,
          .isolation = session.isolation,
          .workers = session.workers,
          .ends = session.ends,
          .phases = session.phases};
}

Formats formats(const Session& session) {
  return Formats(session.workers.get(), session.ends);
}

FittedData fit_data(const DataChoice& choice, const Model& model, Progress& progress) {
  const std::vector<InputSpec> specs = input_specs(model);
  const std::string source =
      choice.samples && choice.data.empty() ? "the caller's samples" : choice.data;
  FittedData data{.opened = choice.samples
                                ? open_samples(choice.samples, source, specs, choice.options)
                                : open_data(choice.data, specs, choice.options),
                  .source = source,
                  .input_name = specs.size() == 1 ? specs[0].name : "",
                  .whole = !takes_batches(model),
                  .exact = fixes_batches(model),
                  .loading = {}};
  if (data.opened.dataset->size() == 0) {
    throw Error(Errc::bad_input,
                fmt::format("{}: holds no sample; nothing can be run", printable(source)));
  }
  if (const std::string caveat = data.opened.dataset->caveat(); !caveat.empty())
    progress.note(caveat);
  return data;
}

FittedData fit_data(const DataChoice& choice, const Model& model, const Session& session) {
  if (session.threads < 2) return fit_data(choice, model, session.progress);
  std::jthread loading;
  if (!session.isolation) loading = std::jthread([format = model.format] { load_runtime(format); });
  DataChoice ahead = choice;
  ahead.options.unpack_ahead = true;
  FittedData data = fit_data(ahead, model, session.progress);
  data.loading = std::move(loading);
  return data;
}

std::uint64_t sample_count(const FittedData& data) {
  return data.part ? data.part->count : data.opened.dataset->size();
}

BatchReader make_reader(const FittedData& data, const Session& session,
                        std::optional<std::uint64_t> count, std::uint64_t first) {
  ReaderOptions options{.batch_size = data.opened.batch_size,
                        .threads = session.threads / 2,  // one core: it decodes, too
                        .strict = session.strict,
                        .whole = data.whole,
                        .exact = data.exact};
  const Samples part = data.part.value_or(Samples{.first = 0, .count = sample_count(data)});
  const std::uint64_t skipped = std::min(first, part.count);
  options.first = part.first + skipped;
  options.count = std::min(count.value_or(part.count), part.count - skipped);
  return BatchReader(*data.opened.dataset, options, data.input_name);
}

void check_order(const Model& reference, const Model& quantized) {
  if (!uses_codes(reference.graph) || uses_codes(quantized.graph)) return;
  throw Error(
      Errc::usage,
      fmt::format("{}: has no quantized op, and {} has: are the two swapped? Give the float model "
                  "first",
                  printable(quantized.path.string()), printable(reference.path.string())));
}

RunOptions run_options(const Session& session) {
  RunOptions options{.threads = session.threads,
                     .in_flight = session.threads,
                     .optimized_dump = {},
                     .isolation = session.isolation,
                     .workers = session.workers.get()};
  options.watch = {.phases = session.phases, .stop_requested = [&progress = session.progress] {
                     return progress.stop_requested();
                   }};
  if (options.isolation) {
    options.isolation->stop_requested = [&progress = session.progress] {
      return progress.stop_requested();
    };
  }
  return options;
}

void report_skipped(const BatchReader& reader, Progress& progress) {
  if (reader.left_out() > 0) {
    progress.note(fmt::format(
        "{} of {} {} left out: the model takes batches of exactly {}, which {} not fill",
        reader.left_out(), counted(reader.size(), "sample"), reader.left_out() == 1 ? "is" : "are",
        reader.batch_size(), reader.left_out() == 1 ? "it does" : "they do"));
  }
  if (reader.skipped_count() == 0) return;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, reader.skipped().size()); ++i) {
    progress.note(fmt::format("skipped {}: {}", printable(reader.skipped()[i].name),
                              reader.skipped()[i].reason));
  }
  progress.note(
      fmt::format("{} of {} could not be read and {} left out (--strict makes this an error)",
                  reader.skipped_count(), counted(reader.size(), "sample"),
                  reader.skipped_count() == 1 ? "was" : "were"));
}

Model upgraded(Model model, Progress& progress) {
  frontend::Upgraded result = frontend::upgrade(std::move(model));
  for (const std::string& note : result.notes) progress.note(note);
  return std::move(result.model);
}

namespace {

/// A way to put the constants of ops into others.
struct Folding {
  Plan (*fold)(const GraphIndex& index, const Capabilities& able);
  const char* key;  ///< told in the properties of a model where it was done
  std::string_view where;
};

constexpr Folding kFoldThrough{
    [](const GraphIndex& index, const Capabilities&) { return fold_through(index); },
    kFoldedThroughKey, "before what moves the elements they read"};
constexpr Folding kFoldBefore{fold_before, kFoldedBeforeKey, "that read them"};

Model folded(const Model& model, const Plan& plan, const Folding& folding, const Session& session) {
  return formats(session).edited(model, plan, {{folding.key, "1"}});
}

void tell(const Plan& plan, const Folding& folding, Progress& progress) {
  progress.note(fmt::format("{} op(s) with constants are folded into the ops {}: {}",
                            plan.removed.size(), folding.where, printable(plan.removed.front())));
}

/// Without the ops whose constants are put into others.
IndexedModel folded(IndexedModel model, const Folding& folding, const Session& session) {
  const Plan plan = folding.fold(model.indexed().index, capabilities_of(model.model().format));
  if (plan.removed.empty()) return model;
  tell(plan, folding, session.progress);
  return IndexedModel(folded(model.model(), plan, folding, session));
}

/// The same where it was done to what `quantized` was made from: as quantlens says in its file, or,
/// where nobody does, as the weights of the file tell.
std::optional<Model> folded_like(const Model& quantized, const Model& model, const Folding& folding,
                                 const Session& session) {
  const bool is_told = quantized.metadata.contains(folding.key);
  if (!is_told && has_stored_recipe(quantized)) return std::nullopt;
  const Plan plan = folding.fold(indexed(model).index, capabilities_of(model.format));
  if (plan.removed.empty()) return std::nullopt;
  Model result = folded(model, plan, folding, session);
  if (!is_told && !has_edited_weights(quantized, model, result, plan)) return std::nullopt;
  tell(plan, folding, session.progress);
  return result;
}

}  // namespace

IndexedModel made_ready(Model model, const Session& session) {
  IndexedModel newer(upgraded(std::move(model), session.progress));
  if (uses_codes(newer.model().graph)) return newer;
  return folded(folded(std::move(newer), kFoldThrough, session), kFoldBefore, session);
}

std::optional<Model> made_ready_like(const Model& quantized, const Model& model,
                                     const Session& session) {
  if (uses_codes(model.graph)) return std::nullopt;
  if (has_stored_recipe(quantized) && !quantized.metadata.contains(kFoldedThroughKey) &&
      !quantized.metadata.contains(kFoldedBeforeKey))
    return std::nullopt;
  const frontend::Upgraded newer = frontend::upgrade(model);
  const auto through = folded_like(quantized, newer.model, kFoldThrough, session);
  auto result = folded_like(quantized, through ? *through : newer.model, kFoldBefore, session);
  if (!result) result = through;
  if (result)
    std::ranges::for_each(newer.notes, [&](const auto& note) { session.progress.note(note); });
  return result;
}

std::string reference_hash(const WorkloadWriter& workload) {
  const ModelFile* model = file_of(workload.workload(), ModelRole::reference);
  return model == nullptr ? std::string() : model->sha256;
}

ModelFile model_file(ModelRole role, const Model& model) {
  return {.role = role,
          .path = fs::absolute(model.path).lexically_normal().string(),
          .sha256 = sha256_hex(model.file.text()),
          .bytes = model.file.bytes().size()};
}

Workspace workspace_of(const Session& session) {
  return {session.store, session.workspace};
}

namespace {

/// As a run that failed with it records it.
std::string message_of(const Error& error) {
  return error.code() == Errc::interrupted ? "interrupted" : error.what();
}

std::map<std::string, std::string> environment_of(
    const Session& session, const std::vector<std::pair<ModelRole, const Model*>>& models) {
  std::map<std::string, std::string> environment{
      {"quantlens", kVersion}, {"cpu", cpu_name()}, {"threads", std::to_string(session.threads)}};
  for (const RuntimeStatus& runtime : runtimes()) {
    if (runtime.available && !runtime.version.empty()) environment[runtime.name] = runtime.version;
  }
  for (const auto& [role, model] : models) {
    const auto status = formats(session).status_apart(*model);
    if (status && status->available) environment[status->name] = status->version;
  }
  return environment;
}

}  // namespace

std::unique_ptr<WorkloadWriter> begin_workload(
    const Session& session, const std::string& verb,
    const std::vector<std::pair<ModelRole, const Model*>>& models) {
  Workspace workspace = workspace_of(session);
  std::string name = session.name;
  if (name.empty()) name = models.at(0).second->path.stem().string();
  auto workload = workspace.create(verb, name, session.arguments);
  if (!models.empty()) {
    workload->put(outline(models.at(0).second->graph));
  }
  if (models.size() > 1) workload->put(QuantizedOutline{outline(models.at(1).second->graph)});
  std::vector<ModelFile> files;
  files.reserve(models.size());
  for (const auto& [role, model] : models) files.push_back(model_file(role, *model));
  try {
    workload->describe(files, environment_of(session, models));
  } catch (const Error& error) {  // of the worker that is asked what it is
    workload->fail(message_of(error));
    throw;
  }
  if (!session.ends.is_whole()) workload->describe(session.ends);
  return workload;
}

namespace {

/// Of what `--data` names; empty where it names no file and no folder.
std::string path_of(const OpenedData& data) {
  const fs::path& path = data.files.empty() ? data.folder : data.files.front();
  std::error_code ignored;
  return path.empty() ? "" : fs::absolute(path, ignored).lexically_normal().string();
}

DataUsed data_used(DataRole role, const FittedData& data) {
  return {.role = role,
          .data = data.source,
          .path = path_of(data.opened),
          .fingerprint = fingerprint(data.opened),
          .samples = data.opened.dataset->size(),
          .batch_size = data.opened.batch_size,
          .part = data.part};
}

}  // namespace

void describe_data(WorkloadWriter& workload, const FittedData* samples, const std::string& metric,
                   const FittedData* calibration) {
  std::vector<DataUsed> data;
  const auto add = [&](DataRole role, const FittedData* used) {
    if (used == nullptr) return;
    data.push_back(data_used(role, *used));
    const std::string caveat = used->opened.dataset->caveat();
    if (!caveat.empty()) workload.note(caveat);
  };
  add(DataRole::samples, samples);
  add(DataRole::calibration, calibration);
  workload.describe(data, metric);
}

void run_recorded(const Session& session, WorkloadWriter& workload,
                  const std::function<void(const Session&)>& work) {
  session.progress.kept_as(workload.workload().id, workload.folder().string());
  Phases phases;
  RecordedProgress progress(session.progress, workload, phases);
  Session recorded = with_progress(session, progress);
  recorded.phases = &phases;
  const auto end = [&] { workload.set_times(phases.seconds()); };
  try {
    const Phase rest(&phases, "rest");
    work(recorded);
  } catch (const Error& error) {
    end();
    workload.fail(message_of(error));
    throw;
  } catch (const std::exception& error) {
    end();
    workload.fail(error.what());
    throw;
  }
  end();
  workload.succeed();
}

}  // namespace quantlens::flow
