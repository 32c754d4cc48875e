// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/tensorflow.h"

#include <array>
#include <functional>
#include <string>
#include <unordered_map>

#include "quantlens/profiling/import/damage.h"
#include "quantlens/profiling/import/device.h"
#include "quantlens/profiling/import/events.h"

namespace quantlens::imports {
namespace {

struct TensorflowArg {
  enum : std::size_t { name, op };
};
constexpr std::array<std::string_view, 2> kTensorflowArgs = {"name", "op"};
constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostLabel = 512;

/// Names of processes by their pid; those without one compute on the host.
using Processes = std::unordered_map<std::string, std::string>;

bool computes(std::string_view process) {
  if (process.empty() || process.find("Compute") != std::string_view::npos) return true;
  if (process.ends_with("Tensors")) return false;
  return process.starts_with("/") || place_of(process) != host;
}

}  // namespace

Profile import_timeline(std::istream& in, Progress& progress) {
  EventReader reader(in, progress, kTensorflowArgs);
  Processes processes;
  StepTimes steps;
  std::uint64_t undated = 0;
  for (Event event; reader.next(event);) {
    const std::string process(event.process.substr(0, kMostLabel));
    if (event.phase == "M" && event.name == "process_name" && processes.size() < kMostProcesses) {
      processes[process] = decoded(event.args[TensorflowArg::name].substr(0, kMostLabel));
    }
    if (event.phase != "X" || event.category != "Op") continue;
    const auto at = processes.find(process);
    const std::string_view device = at == processes.end() ? std::string_view{} : at->second;
    if (!computes(device)) continue;
    const auto us = duration_us(event.duration);
    if (!us) {
      ++undated;
      continue;
    }
    const std::string_view type =
        event.args[TensorflowArg::op].empty() ? event.name : event.args[TensorflowArg::op];
    const std::string_view node =
        event.args[TensorflowArg::name].empty() ? event.name : event.args[TensorflowArg::name];
    constexpr std::string_view kSuffix = " Compute";
    steps.add(device.substr(0, device.size() - (device.ends_with(kSuffix) ? kSuffix.size() : 0)),
              {node, type, {}}, time_us(event.start), *us);
  }
  Profile profile{.source = ProfileSource::tensorflow};
  tell_of_damage({reader.cut_off(), reader.broken(), undated}, progress);
  steps.fill(profile, progress);
  return profile;
}

}  // namespace quantlens::imports
