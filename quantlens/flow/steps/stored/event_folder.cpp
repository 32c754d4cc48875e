// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/event_folder.h"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/stored/unfinished.h"

namespace quantlens::flow {
namespace {

constexpr std::string_view kEventsBegin = "events.out.tfevents.";  // TensorBoard looks for it
constexpr std::string_view kOurEnding = ".quantlens";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kMarkLength = 8;

bool is_events(std::string_view file) {
  return file.find("tfevents") != std::string_view::npos;
}

/// Whose a file of events is.
enum class Owner { other, ours, being_written };

/// Tells runs that began in the same second apart.
std::string mark_of(const std::string& id) {
  return "." + sha256_hex(id).substr(0, kMarkLength);
}

/// What follows a mark, or all of it where there is none: earlier versions had none.
std::string_view behind_mark(std::string_view text) {
  if (!text.starts_with('.') || text.find_first_not_of(kHexDigits, 1) != kMarkLength + 1)
    return text;
  return text.substr(kMarkLength + 1);
}

/// "events.out.tfevents.<seconds>.<mark>.quantlens", or what a process writes or, killed, left of
/// it. Others name their host behind the seconds, and what follows it, so that a name alone is no
/// proof.
Owner owner_of(std::string_view file) {
  if (!file.starts_with(kEventsBegin)) return Owner::other;
  file.remove_prefix(kEventsBegin.size());
  file.remove_prefix(std::min(file.find_first_not_of(kDigits), file.size()));
  file = behind_mark(file);
  if (!file.starts_with(kOurEnding)) return Owner::other;
  file.remove_prefix(kOurEnding.size());
  while (!file.empty()) {  // what is not finished is written as a part of a part
    const std::string_view process = process_in(file);
    if (process.empty()) return Owner::other;
    if (is_running(process)) return Owner::being_written;
    file = file.substr(0, file.rfind('.'));
  }
  return Owner::ours;
}

}  // namespace

EventFolder::~EventFolder() {
  for (const Finished& one : finished_) remove_if_possible(path(one.run) / one.unfinished);
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
    try {
      if (store_.list(*folder).empty()) store_.remove(*folder);
    } catch (const Error&) {  // an empty folder is left
    }
  }
}

void EventFolder::remove_if_possible(const fs::path& file) {
  try {
    store_.remove(file);
  } catch (const Error&) {  // a later run removes it
  }
}

void EventFolder::make_folder(const fs::path& folder) {
  for (const fs::path& one : {root_, root_ / "eval", folder})
    if (!fs::exists(fs::symlink_status(one))) made_.push_back(one);
  store_.make_folder(folder);
}

void EventFolder::check(const std::string& run) const {
  const fs::path folder = path(run);
  for (const std::string& file : store_.list(folder)) {
    if (!is_events(file) || owner_of(file) != Owner::other) continue;
    throw Error(Errc::usage,
                fmt::format("{}: holds events of another program; write to another folder",
                            printable((folder / file).string())));
  }
}

EventFolder::Run EventFolder::begin(const std::string& run) {
  check(run);
  const fs::path folder = path(run);
  make_folder(folder);
  std::string name = fmt::format("{}{}{}{}", kEventsBegin, static_cast<std::int64_t>(seconds_),
                                 mark_of(id_), kOurEnding);
  std::unique_ptr<FileWriter> bytes = store_.create(folder / (name + unfinished_ending()));
  return {run, std::move(name), std::move(bytes), seconds_};
}

void EventFolder::finish(Run& run) {
  run.bytes_->commit();
  finished_.push_back({run.name_, run.file_, run.file_ + unfinished_ending()});
}

void EventFolder::put_in_place(const Finished& one, std::vector<fs::path>& placed) {
  const fs::path file = path(one.run) / one.file;
  const bool is_new = !fs::exists(fs::symlink_status(file));
  std::error_code failed;
  fs::rename(path(one.run) / one.unfinished, file, failed);
  if (failed) {
    throw Error(Errc::io, fmt::format("{}: cannot write: {}; choose another folder",
                                      printable(file.string()), failed.message()));
  }
  if (is_new) placed.push_back(file);
}

void EventFolder::remove_earlier(const Finished& one) {
  const fs::path folder = path(one.run);
  bool is_other = false;
  for (const std::string& file : store_.list(folder)) {
    if (owner_of(file) != Owner::ours || file == one.file) continue;
    is_other |= file.ends_with(kOurEnding);
    store_.remove(folder / file);
  }
  if (is_other) replaced_.push_back(one.run);
  written_.push_back(one.run);
}

void EventFolder::publish() {
  std::vector<fs::path> placed;  // where nothing was before
  try {
    for (const Finished& one : finished_) put_in_place(one, placed);
  } catch (const Error&) {
    for (const fs::path& file : placed) remove_if_possible(file);
    throw;
  }
  for (const Finished& one : finished_) remove_earlier(one);
  finished_.clear();
}

std::vector<std::string> EventFolder::others() const {
  std::vector<std::string> others = store_.list(root_ / "eval");
  std::erase_if(others, [&](const std::string& name) {
    return std::ranges::find(written_, name) != written_.end();
  });
  return others;
}

}  // namespace quantlens::flow
