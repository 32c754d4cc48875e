// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/frontend/patch.h"
#include "quantlens/graph/cut.h"
#include "quantlens/record/checkup.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// What a frontend does with a format, a runtime does with its models; of a format that a worker
/// alone has, what is null here is asked of the worker.
struct FormatEntry {
  std::string_view format;
  const char* runtime;  ///< as a worker is asked for it
  std::unique_ptr<Run> (*open)(const Model&, const Model*, const TapSpec&, const RunOptions&);
  std::unique_ptr<TimedRun> (*open_timed)(const Model&, const TimedOptions&);
  void (*load)();  ///< the runtime's library into this process
  /// Of a format that no frontend here reads: whether the bytes look like it; of a folder there are
  /// none. Null: frontend::read reads it.
  bool (*match)(Bytes bytes, const fs::path& path);
  /// As quantlens::constant_values; null: no interpreter here knows its ops.
  TensorMap (*constants)(const Model& model, std::uint64_t most_bytes) = nullptr;
  /// What is not known of its models without a runtime: a sentence; empty: all is.
  std::string_view not_told = {};
  /// Whether the runtime runs what lies between ends that people name (graph/cut.h).
  bool cuts = false;
  /// Of a format whose models a worker makes ones of another format: that one.
  std::string_view becomes = {};
};

/// All that quantlens knows.
std::span<const FormatEntry> known_formats();

/// The verbs that depend on a model's format, each where it can be done: in this process, or in a
/// worker where the options ask for isolation or a worker alone has the format.
class Formats {
 public:
  /// `workers` read and write the formats that workers alone have; null: those are refused with
  /// Errc::unsupported. Of all models that are read, what lies between the `ends` is the model.
  /// `workers` and `entries` must outlive it, and the Runs that it opens.
  explicit Formats(Workers* workers = nullptr, Ends ends = {},
                   std::span<const FormatEntry> entries = known_formats());

  /// As frontend::read. Throws also as `cut` does, and Errc::unsupported where there are ends and
  /// the format's runtime runs whole models only.
  Model read(const fs::path& path) const;
  /// As frontend::apply: the file is written whole, whatever the ends.
  std::vector<std::string> apply(const Model& model, const Plan& plan,
                                 const std::map<std::string, std::string>& metadata, Store& store,
                                 const fs::path& path) const;
  /// As frontend::edited.
  Model edited(const Model& model, const Plan& plan,
               const std::map<std::string, std::string>& metadata) const;
  /// As frontend::write_patched.
  void write_patched(const Model& model, const Patch& patch, Store& store,
                     const fs::path& path) const;
  /// As quantlens::open: of a format that workers alone have, by the program of the options'
  /// isolation or workers.
  std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                            const RunOptions& options) const;
  /// As quantlens::open_timed.
  std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) const;
  /// As quantlens::load_runtime.
  void load(std::string_view format) const;
  /// As quantlens::constant_values.
  TensorMap constants(const Model& model, std::uint64_t most_bytes) const;

  /// What cannot be told of a model that is only looked at, in sentences.
  std::vector<std::string> notes_on(const Model& model) const;

  /// Whether workers alone run models of its format.
  bool runs_apart(const Model& model) const;
  /// What a worker of its own, which is ended then, says of the runtime that runs the model, where
  /// workers alone do; else nothing.
  std::optional<RuntimeStatus> status_apart(const Model& model) const;

 private:
  const FormatEntry* find(std::string_view format) const;
  const FormatEntry& at(std::string_view format) const;
  /// The entry of a format that workers alone have; null of any other.
  const FormatEntry* apart(const Model& model) const;
  Workers& workers_for(const FormatEntry& entry, const fs::path& path) const;
  Model read_whole(const fs::path& path) const;
  Model converted(const FormatEntry& entry, const fs::path& path, MappedFile file) const;
  Model edited_whole(const Model& model, const Plan& plan,
                     const std::map<std::string, std::string>& metadata) const;
  Model between_ends(Model model) const;

  Workers* workers_;
  Ends ends_;
  std::span<const FormatEntry> entries_;
};

}  // namespace quantlens
