// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/onnxruntime.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/profiling/import/damage.h"
#include "quantlens/profiling/import/events.h"
#include "quantlens/profiling/import/nodes.h"
#include "quantlens/profiling/import/self_times.h"
#include "quantlens/profiling/import/shapes.h"

namespace quantlens::imports {
namespace {

struct OnnxruntimeArg {
  enum : std::size_t { op_name, provider, inputs, outputs, node_index };
};
constexpr std::array<std::string_view, 5> kOnnxruntimeArgs = {
    "op_name", "provider", "input_type_shape", "output_type_shape", "node_index"};
constexpr std::size_t kWarmUp = 0;   // kinds of times
constexpr std::size_t kCounted = 1;  // likewise
constexpr std::size_t kMostOpen = 65536;
constexpr std::size_t kExactRuns = 65536;
constexpr std::uint64_t kRunsForWarmUp = 3;

/// Gathers the executions of a run until it is over. Its `model_run` event stands before its nodes
/// or after them, as versions differ.
class OnnxruntimeImporter {
 public:
  explicit OnnxruntimeImporter(Progress& progress) : progress_(progress) {}
  void take(const Event& event);
  Profile finish(const EventReader& reader);

 private:
  void take_session(const Event& event);
  void take_node(const Event& event);
  void take_kernel(const Event& event);
  std::size_t find(const NodeKey& key, const Event& event);
  void settle();
  void end_run();
  Counted count_runs(Profile& profile);

  Progress& progress_;
  Nodes nodes_;
  std::vector<Execution> open_;
  std::vector<std::size_t> types_;  ///< hashes of op_name, of the nodes
  bool run_first_ = false;          ///< model_run stands before its nodes
  bool cut_off_ = false;
  std::uint64_t runs_seen_ = 0;
  std::uint64_t runs_ended_ = 0;
  double run_us_ = 0;        ///< of the model_run that waits for its nodes
  double execution_us_ = 0;  ///< the longest Execute of this run: the others are in it
  std::array<Durations, 2> walls_ = {Durations(kExactRuns), Durations(kExactRuns)};
  std::array<double, 2> outside_us_{};
  std::uint64_t undated_ = 0;  ///< nodes without a sound duration
  std::uint64_t unnamed_ = 0;
};

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

bool is_kernel(std::string_view category) {
  return category == "Kernel" || category == "kernel";
}

void OnnxruntimeImporter::take(const Event& event) {
  if (event.category == "Node") return take_node(event);
  if (event.category == "Session") return take_session(event);
  if (is_kernel(event.category)) return take_kernel(event);
}

void OnnxruntimeImporter::take_session(const Event& event) {
  const auto us = duration_us(event.duration);
  if (!us) return;
  if (event.name.ends_with("Executor::Execute")) execution_us_ = std::max(execution_us_, *us);
  if (event.name != "model_run") return;
  if (runs_seen_ == 0) run_first_ = open_.empty() && nodes_.size() == 0;
  if (!run_first_) run_us_ = *us;
  if (!run_first_ || runs_seen_ > 0) end_run();
  run_us_ = *us;
  ++runs_seen_;
}

std::size_t OnnxruntimeImporter::find(const NodeKey& key, const Event& event) {
  bool is_new = false;
  const std::size_t number = nodes_.find(key, is_new);
  if (is_new) {
    nodes_.describe(number, event.args[OnnxruntimeArg::provider],
                    types_and_shapes(event.args[OnnxruntimeArg::inputs]),
                    types_and_shapes(event.args[OnnxruntimeArg::outputs]));
    types_.push_back(hash_of(key.type));
    if (key.name.empty()) ++unnamed_;
  }
  return number;
}

void OnnxruntimeImporter::take_node(const Event& event) {
  constexpr std::string_view kSuffix = "_kernel_time";
  std::string_view name = event.name;
  if (name.ends_with("_fence_before") || name.ends_with("_fence_after")) return;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  const auto us = duration_us(event.duration);
  if (!us) {
    ++undated_;
    return;
  }
  if (open_.size() >= kMostOpen) settle();
  const NodeKey key{name, event.args[OnnxruntimeArg::op_name],
                    event.args[OnnxruntimeArg::node_index]};
  open_.push_back({.node = find(key, event),
                   .thread = hash_of(event.thread),
                   .start_us = time_us(event.start),
                   .own_us = *us});
}

/// It belongs to the node whose event stands before it, if that is of its type.
void OnnxruntimeImporter::take_kernel(const Event& event) {
  const auto us = duration_us(event.duration);
  if (!us) {
    ++undated_;
    return;
  }
  const std::string_view type = event.args[OnnxruntimeArg::op_name];
  const double start = time_us(event.start);
  if (!open_.empty() && types_[open_.back().node] == hash_of(type)) {
    Execution& node = open_.back();
    const double overlap =
        std::min(start + *us, node.start_us + node.own_us) - std::max(start, node.start_us);
    node.accelerator_us += *us;
    node.overlap_us += std::max(0.0, overlap);
    return;
  }
  const NodeKey key{event.name, type.empty() ? "Kernel" : type, "kernel"};
  const std::size_t number = find(key, event);
  const bool warm_up = runs_ended_ == 0;
  nodes_.add(number, warm_up ? kWarmUp : kCounted, {.accelerator_us = *us, .start_us = start});
}

/// Books the executions gathered so far to the run that is not over yet.
void OnnxruntimeImporter::settle() {
  subtract_inner(open_);
  for (const Execution& done : open_) {
    const double cpu = done.own_us - std::min(done.own_us, done.overlap_us);
    nodes_.add(done.node, runs_ended_ == 0 ? kWarmUp : kCounted,
               {.cpu_us = cpu, .accelerator_us = done.accelerator_us, .start_us = done.start_us});
  }
  open_.clear();
}

void OnnxruntimeImporter::end_run() {
  settle();
  const std::size_t kind = runs_ended_ == 0 ? kWarmUp : kCounted;
  walls_[kind].add(run_us_, nodes_.budget());
  if (execution_us_ > 0) outside_us_[kind] += std::max(0.0, run_us_ - execution_us_);
  execution_us_ = 0;
  ++runs_ended_;
}

/// Ends the last run; fills in the wall times and says which kinds of times they are of.
Counted OnnxruntimeImporter::count_runs(Profile& profile) {
  const bool unfinished =
      run_first_ ? cut_off_ && runs_seen_ > 1 : runs_seen_ > 0 && !open_.empty();
  if (unfinished) {
    open_.clear();
    progress_.note("the profile ends within a run, which is left out");
  } else if (run_first_ && runs_seen_ > 0) {
    end_run();
  } else {
    settle();
  }
  Counted counted{.kinds = {kCounted}, .runs = runs_ended_};
  if (runs_ended_ >= kRunsForWarmUp) {
    --counted.runs;
    progress_.note(fmt::format("the first of {} runs is left out as a warm-up", runs_ended_));
  } else {
    counted.kinds.push_back(kWarmUp);
    walls_[kCounted].merge(walls_[kWarmUp], nodes_.budget());
    outside_us_[kCounted] += outside_us_[kWarmUp];
  }
  profile.wall = wall_of(walls_[kCounted]);
  if (counted.runs > 0) {
    profile.outside_us = outside_us_[kCounted] / static_cast<double>(counted.runs);
  }
  return counted;
}

Profile OnnxruntimeImporter::finish(const EventReader& reader) {
  cut_off_ = reader.cut_off();
  Profile profile{.source = ProfileSource::onnxruntime};
  tell_of_damage({.cut_off = cut_off_, .broken = reader.broken(), .undated = undated_}, progress_);
  if (unnamed_ > 0) {
    progress_.note("nodes without a name are counted by their type; name them to tell them apart");
  }
  const Counted counted = count_runs(profile);
  fill(profile, nodes_, counted, progress_);
  return profile;
}

}  // namespace

Profile import_onnxruntime(std::istream& in, Progress& progress) {
  EventReader reader(in, progress, kOnnxruntimeArgs);
  OnnxruntimeImporter importer(progress);
  for (Event event; reader.next(event);) importer.take(event);
  return importer.finish(reader);
}

}  // namespace quantlens::imports
