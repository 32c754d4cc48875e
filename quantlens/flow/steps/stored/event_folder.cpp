// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/event_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>

#include <fmt/format.h>
#include <sys/types.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {
namespace {

constexpr std::string_view kEventsBegin = "events.out.tfevents.";  // TensorBoard looks for it
constexpr std::string_view kOurEnding = ".quantlens";
constexpr std::string_view kUnfinished = ".part";  // then a process, as DiskStore has it
constexpr std::string_view kDigits = "0123456789";

bool is_events(std::string_view file) {
  return file.find("tfevents") != std::string_view::npos;
}

/// The process of "<pid>" or "<pid>-<n>".
bool is_running(std::string_view process) {
  pid_t id = 0;
  std::from_chars(process.data(), process.data() + process.size(), id);
  return id > 0 && (::kill(id, 0) == 0 || errno == EPERM);
}

/// Whose a file of events is.
enum class Owner { other, ours, being_written };

/// "events.out.tfevents.<seconds>.quantlens", or what a process writes or, killed, left of it.
/// Others name their host behind the seconds, and what follows it, so that a name alone is no
/// proof.
Owner owner_of(std::string_view file) {
  if (!file.starts_with(kEventsBegin)) return Owner::other;
  file.remove_prefix(kEventsBegin.size());
  file.remove_prefix(std::min(file.find_first_not_of(kDigits), file.size()));
  if (!file.starts_with(kOurEnding)) return Owner::other;
  file.remove_prefix(kOurEnding.size());
  if (file.empty()) return Owner::ours;
  if (!file.starts_with(kUnfinished)) return Owner::other;
  file.remove_prefix(kUnfinished.size());
  if (file.find_first_not_of("0123456789-") != std::string_view::npos) return Owner::other;
  return is_running(file) ? Owner::being_written : Owner::ours;
}

}  // namespace

EventFolder::~EventFolder() {
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
    try {
      if (store_.list(*folder).empty()) store_.remove(*folder);
    } catch (const Error&) {  // an empty folder is left
    }
  }
}

void EventFolder::make_folder(const fs::path& folder) {
  for (const fs::path& one : {root_, root_ / "eval", folder})
    if (!fs::exists(fs::symlink_status(one))) made_.push_back(one);
  store_.make_folder(folder);
}

EventFolder::Run EventFolder::begin(const std::string& run) {
  const fs::path folder = path(run);
  for (const std::string& file : store_.list(folder)) {
    if (!is_events(file) || owner_of(file) != Owner::other) continue;
    throw Error(Errc::usage,
                fmt::format("{}: holds events of another program; write to another folder",
                            printable((folder / file).string())));
  }
  make_folder(folder);
  std::string name =
      fmt::format("{}{}{}", kEventsBegin, static_cast<std::int64_t>(seconds_), kOurEnding);
  std::unique_ptr<FileWriter> bytes = store_.create(folder / name);
  return {run, std::move(name), std::move(bytes), seconds_};
}

void EventFolder::commit(Run& run) {
  run.bytes_->commit();
  const fs::path folder = path(run.name_);
  bool is_other = false;
  for (const std::string& file : store_.list(folder)) {
    if (owner_of(file) != Owner::ours || file == run.file_) continue;
    is_other |= file.ends_with(kOurEnding);
    store_.remove(folder / file);
  }
  if (is_other) replaced_.push_back(run.name_);
  written_.push_back(run.name_);
}

std::vector<std::string> EventFolder::others() const {
  std::vector<std::string> others = store_.list(root_ / "eval");
  std::erase_if(others, [&](const std::string& name) {
    return std::ranges::find(written_, name) != written_.end();
  });
  return others;
}

}  // namespace quantlens::flow
