// SPDX-License-Identifier: Apache-2.0
#include "server/api/runs.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/read_list.h"
#include "server/api/answer.h"
#include "server/own_folder.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr const char* kLock = "lock";
constexpr std::size_t kMostFoundSingly = 4;
constexpr std::size_t kTailBytes = 8192;  // of a log: some dozens of events

bool has_ended(WorkloadState state) {
  return state == WorkloadState::success || state == WorkloadState::failure;
}

/// The end of a log tells how far a run is; all of it may be long.
std::optional<ProgressEvent> last_step(const Store& store, const fs::path& folder) {
  try {
    const std::optional<MappedFile> file = find_file(store, folder / kEvents);
    if (!file) return std::nullopt;
    std::string_view lines = file->text();
    if (lines.size() > kTailBytes) {
      lines.remove_prefix(lines.size() - kTailBytes);
      lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
    }
    const auto events = events_of_lines(lines, kEvents);
    const auto found = std::find_if(events.rbegin(), events.rend(),
                                    [](const ProgressEvent& one) { return one.step.has_value(); });
    return found == events.rend() ? std::nullopt : std::optional(*found);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A file that a list needs no more than a look at: "?" is what cannot be looked at.
std::string state_or_unknown(const fs::path& file) {
  try {
    return state_of(file);
  } catch (const Error&) {
    return "?;";
  }
}

}  // namespace

fs::path Runs::folder_of(const std::string& id) const {
  return workspace_.root() / "workloads" / id;
}

std::string Runs::state_now(const std::string& id, const std::string& own, bool ended) const {
  const fs::path folder = folder_of(id);
  std::string state = own;
  if (ended) return state;  // all else was written before its end was
  for (const std::string_view name :
       {FileOf<AccuracyRecord>::kName, FileOf<Study>::kName, kEvents}) {
    state += state_or_unknown(folder / name);
  }
  return state + std::to_string(static_cast<int>(FileLock::state(folder / kLock)));
}

Runs::One Runs::remember(const Workload& workload, const std::string& own) {
  const fs::path folder = folder_of(workload.id);
  // An interrupted run shows as ended, and goes on when it is taken up again.
  const std::string state = state_now(workload.id, own, false);
  auto run = std::make_shared<Run>();
  run->folder = folder;
  run->summary = {.id = workload.id,
                  .name = workload.name,
                  .verb = workload.verb,
                  .state = workload.state,
                  .message = workload.message,
                  .created = workload.created,
                  .finished = workload.finished,
                  .models = workload.models,
                  .metric = workload.metric,
                  .accuracy = read_accuracy(WorkloadReader(store_, folder)),
                  .progress = {}};
  const bool ended = has_ended(workload.state) && !workload.finished.empty();
  if (workload.state != WorkloadState::success) run->summary.progress = last_step(store_, folder);
  run->state = fmt::format("{}/{}", workload.id, ended ? own : state);
  kept_[workload.id] = {run, own, ended ? own : state, ended};
  return run;
}

Runs::One Runs::current(const std::string& id) {
  const fs::path folder = folder_of(id);
  if (!is_own_folder(folder)) {
    kept_.erase(id);
    return nullptr;
  }
  const std::string own = state_or_unknown(folder / FileOf<Workload>::kName);
  const auto found = kept_.find(id);
  if (found != kept_.end() && found->second.own == own &&
      found->second.state == state_now(id, own, found->second.has_ended)) {
    return found->second.run;
  }
  Workload workload;
  try {
    workload = workspace_.find(id);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return nullptr;  // being made just now, or removed
    workload.id = id;
    workload.state = WorkloadState::failure;
    workload.message = error.what();
  }
  if (workload.id != id) return nullptr;
  return remember(workload, own);
}

std::vector<Runs::One> Runs::all() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids = store_.list(workspace_.root() / "workloads");
  std::erase_if(ids, [](const std::string& id) { return !is_plain_name(id); });
  std::erase_if(kept_, [&](const auto& one) {
    return !std::binary_search(ids.begin(), ids.end(), one.first);
  });
  const auto unknown = static_cast<std::size_t>(
      std::ranges::count_if(ids, [&](const std::string& id) { return !kept_.contains(id); }));
  if (unknown > kMostFoundSingly) {  // each look at one of them goes over all
    for (const Workload& one : workspace_.list()) {
      if (!is_own_folder(folder_of(one.id))) continue;
      remember(one, state_or_unknown(folder_of(one.id) / FileOf<Workload>::kName));
    }
  }
  std::vector<One> runs;
  for (const std::string& id : ids) {
    if (One run = current(id)) runs.push_back(std::move(run));
  }
  std::ranges::sort(runs, [](const One& a, const One& b) {
    return std::tie(a->summary.created, a->summary.id) >
           std::tie(b->summary.created, b->summary.id);
  });
  return runs;
}

Runs::One Runs::find(std::string_view id) {
  if (id == "last") {
    const std::vector<One> runs = all();
    if (!runs.empty()) return runs.front();
  } else if (is_plain_name(id)) {
    const std::lock_guard lock(mutex_);
    if (One run = current(std::string(id))) return run;
  }
  throw Error(Errc::not_found, fmt::format("There is no workload '{}'.", shown(id)));
}

}  // namespace quantlens::server
