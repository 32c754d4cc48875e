// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/formats.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/saved_model.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/constants.h"
#include "quantlens/runtime/oracle/graphdef_constants.h"
#include "quantlens/runtime/remote/remote.h"
#include "quantlens/runtime/where.h"
#include "quantlens/runtime/workers.h"

namespace quantlens {
namespace {

constexpr FormatEntry kFormats[] = {
    {"onnx", "onnxruntime", onnxruntime::open, onnxruntime::open_timed, onnxruntime::load, nullptr,
     oracle::constant_values},
    {"graphdef", "tensorflow", nullptr, nullptr, nullptr, nullptr, oracle::graphdef_constants,
     "no TensorFlow was asked: which ops would be quantized follows from the int8 kernels that "
     "TensorFlow has for CPUs, and whether it can run the graph is not known",
     true},
    {.format = "savedmodel",
     .runtime = "tensorflow",
     .open = nullptr,
     .open_timed = nullptr,
     .load = nullptr,
     .match = graphdef::is_saved_model,
     .becomes = "graphdef"},
    {.format = "keras",
     .runtime = "tensorflow",
     .open = nullptr,
     .open_timed = nullptr,
     .load = nullptr,
     .match = graphdef::is_keras,
     .becomes = "graphdef"},
};

[[noreturn]] void refuse_without_worker(const FormatEntry& entry, const std::string& what) {
  throw Error(Errc::unsupported,
              fmt::format("{}: models of format '{}' are for a worker of {} alone; use --isolate, "
                          "which needs the program quantlens in PATH",
                          what, entry.format, entry.runtime));
}

/// Of a folder, which has no bytes of its own, an empty one.
MappedFile file_at(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? MappedFile() : MappedFile::open(path);
}

}  // namespace

std::span<const FormatEntry> known_formats() {
  return kFormats;
}

Formats::Formats(Workers* workers, Ends ends, std::span<const FormatEntry> entries)
    : workers_(workers), ends_(std::move(ends)), entries_(entries) {}

const FormatEntry* Formats::find(std::string_view format) const {
  const auto found = std::ranges::find(entries_, format, &FormatEntry::format);
  return found == entries_.end() ? nullptr : &*found;
}

const FormatEntry& Formats::at(std::string_view format) const {
  if (const FormatEntry* entry = find(format)) return *entry;
  throw Error(Errc::unsupported,
              fmt::format("no runtime runs models of format '{}'", printable(format)));
}

const FormatEntry* Formats::apart(const Model& model) const {
  const FormatEntry* entry = find(model.format);
  return entry != nullptr && entry->match != nullptr ? entry : nullptr;
}

Workers& Formats::workers_for(const FormatEntry& entry, const fs::path& path) const {
  if (workers_ == nullptr) refuse_without_worker(entry, printable(path.string()));
  return *workers_;
}

Model Formats::between_ends(Model model) const {
  if (ends_.is_whole()) return model;
  const FormatEntry* entry = find(model.format);
  if (entry == nullptr || !entry->cuts) {
    throw Error(Errc::unsupported,
                fmt::format("{}: models of format '{}' are run whole; leave out --inputs and "
                            "--outputs, or cut the file itself (onnx.utils.extract_model)",
                            printable(model.path.string()), printable(model.format)));
  }
  model.graph = cut(model.graph, ends_);
  return model;
}

Model Formats::read(const fs::path& path) const {
  return between_ends(read_whole(path));
}

Model Formats::read_whole(const fs::path& path) const {
  const bool any_apart = std::ranges::any_of(
      entries_, [](const FormatEntry& entry) { return entry.match != nullptr; });
  if (!any_apart) return frontend::read(path);
  const MappedFile file = file_at(path);
  for (const FormatEntry& entry : entries_) {
    if (entry.match == nullptr || !entry.match(file.bytes(), path)) continue;
    if (!entry.becomes.empty()) return converted(entry, path, file);
    const auto worker = workers_for(entry, path).worker(entry.runtime);
    return remote::read(*worker, entry.format, path, file);
  }
  return frontend::read(path);
}

Model Formats::converted(const FormatEntry& entry, const fs::path& path, MappedFile file) const {
  Model given;
  given.format = entry.format;
  given.path = path.has_filename() ? path : path.parent_path();
  given.file = std::move(file);
  MemoryStore store;
  const auto worker = workers_for(entry, path).worker(entry.runtime);
  const Plan nothing;
  const std::map<std::string, std::string> none;
  remote::apply(*worker, {.model = given, .plan = nothing, .metadata = none}, store, given.path);
  return frontend::read_as(entry.becomes, given.path, store.read(given.path));
}

std::vector<std::string> Formats::apply(const Model& model, const Plan& plan,
                                        const std::map<std::string, std::string>& metadata,
                                        Store& store, const fs::path& path) const {
  const FormatEntry* entry = apart(model);
  if (entry == nullptr) return frontend::apply(model, plan, metadata, store, path);
  const auto worker = workers_for(*entry, path).worker(entry->runtime);
  return remote::apply(*worker, {.model = model, .plan = plan, .metadata = metadata}, store, path);
}

Model Formats::edited(const Model& model, const Plan& plan,
                      const std::map<std::string, std::string>& metadata) const {
  return between_ends(edited_whole(model, plan, metadata));
}

Model Formats::edited_whole(const Model& model, const Plan& plan,
                            const std::map<std::string, std::string>& metadata) const {
  const FormatEntry* entry = apart(model);
  if (entry == nullptr) return frontend::edited(model, plan, metadata);
  MemoryStore store;
  apply(model, plan, metadata, store, model.path);
  const auto worker = workers_for(*entry, model.path).worker(entry->runtime);
  return remote::read(*worker, entry->format, model.path, store.read(model.path));
}

void Formats::write_patched(const Model& model, const Patch& patch, Store& store,
                            const fs::path& path) const {
  const FormatEntry* entry = apart(model);
  if (entry == nullptr) return frontend::write_patched(model, patch, store, path);
  const auto worker = workers_for(*entry, path).worker(entry->runtime);
  remote::write_patched(*worker, model, patch, store, path);
}

std::vector<std::string> Formats::notes_on(const Model& model) const {
  const FormatEntry* entry = find(model.format);
  if (entry == nullptr || entry->not_told.empty()) return {};
  return {std::string(entry->not_told)};
}

bool Formats::runs_apart(const Model& model) const {
  const FormatEntry* entry = find(model.format);
  return entry != nullptr && entry->open == nullptr;
}

std::optional<RuntimeStatus> Formats::status_apart(const Model& model) const {
  if (!runs_apart(model)) return std::nullopt;
  const FormatEntry& entry = at(model.format);
  Workers once(workers_for(entry, model.path).isolation());
  const remote::StatusText told = remote::status(*once.worker(entry.runtime));
  return RuntimeStatus{.name = told.runtime,
                       .available = told.problem.empty(),
                       .version = told.version,
                       .where = told.where,
                       .problem = told.problem};
}

std::unique_ptr<Run> Formats::open(const Model& reference, const Model* quantized,
                                   const TapSpec& taps, const RunOptions& options) const {
  if (quantized != nullptr && quantized->format != reference.format) {
    throw Error(Errc::unsupported,
                fmt::format("a model of format '{}' and one of format '{}' cannot run together",
                            printable(reference.format), printable(quantized->format)));
  }
  const FormatEntry& entry = at(reference.format);
  const Isolation* isolation = options.isolation ? &*options.isolation : nullptr;
  if (entry.open == nullptr && isolation == nullptr) {
    if (options.workers == nullptr) refuse_without_worker(entry, where(reference));
    isolation = &options.workers->isolation();
  }
  if (isolation != nullptr) {
    return remote::open(worker_for(entry.runtime, *isolation), reference, quantized, taps, options);
  }
  return entry.open(reference, quantized, taps, options);
}

std::unique_ptr<TimedRun> Formats::open_timed(const Model& model,
                                              const TimedOptions& options) const {
  const FormatEntry& entry = at(model.format);
  if (options.workers != nullptr) {
    return remote::open_timed(options.workers->worker(entry.runtime), model, options);
  }
  if (entry.open_timed == nullptr) refuse_without_worker(entry, where(model));
  return entry.open_timed(model, options);
}

void Formats::load(std::string_view format) const {
  const FormatEntry& entry = at(format);
  if (entry.load != nullptr) entry.load();
}

TensorMap Formats::constants(const Model& model, std::uint64_t most_bytes) const {
  const FormatEntry* entry = find(model.format);
  if (entry == nullptr || entry->constants == nullptr) return {};
  return entry->constants(model, most_bytes);
}

}  // namespace quantlens
