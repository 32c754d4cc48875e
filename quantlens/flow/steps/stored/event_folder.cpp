// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/event_folder.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

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

/// "events.out.tfevents.<seconds>.quantlens", or what a killed process left of it. Others name
/// their host behind the seconds, and what follows it, so that a name alone is no proof.
bool is_ours(std::string_view file) {
  if (!file.starts_with(kEventsBegin)) return false;
  file.remove_prefix(kEventsBegin.size());
  file.remove_prefix(std::min(file.find_first_not_of(kDigits), file.size()));
  if (!file.starts_with(kOurEnding)) return false;
  file.remove_prefix(kOurEnding.size());
  if (file.empty()) return true;
  if (!file.starts_with(kUnfinished)) return false;
  return file.find_first_not_of("0123456789-", kUnfinished.size()) == std::string_view::npos;
}

}  // namespace

EventFolder::Run EventFolder::begin(const std::string& run) {
  const fs::path folder = path(run);
  for (const std::string& file : store_.list(folder)) {
    if (!is_events(file) || is_ours(file)) continue;
    throw Error(Errc::usage,
                fmt::format("{}: holds events of another program; write to another folder",
                            printable((folder / file).string())));
  }
  store_.make_folder(folder);
  std::string name =
      fmt::format("{}{}{}", kEventsBegin, static_cast<std::int64_t>(seconds_), kOurEnding);
  std::unique_ptr<FileWriter> bytes = store_.create(folder / name);
  return {run, std::move(name), std::move(bytes), seconds_};
}

void EventFolder::commit(Run& run) {
  run.bytes_->commit();
  const fs::path folder = path(run.name_);
  for (const std::string& file : store_.list(folder))
    if (is_ours(file) && file != run.file_) store_.remove(folder / file);
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
