// SPDX-License-Identifier: Apache-2.0
#include "server/api/labels.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/file_lock.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/answer.h"
#include "server/control.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostLabelsBytes = std::size_t{16} << 20;  // of the file

struct LabelsFile {
  std::uint32_t format = 1;
  std::map<std::string, RunLabels> labels;  ///< by id
};
BOOST_DESCRIBE_STRUCT(LabelsFile, (), (format, labels))

void check(const RunLabels& labels) {
  const auto fits = [](const std::string& tag) {
    return !tag.empty() && tag.size() <= kMostTagBytes && !has_control(tag);
  };
  if (labels.tags.size() > kMostTags || !std::ranges::all_of(labels.tags, fits)) {
    throw Error(Errc::usage,
                fmt::format("A run has at most {} tags, each of 1 to {} bytes on one line.",
                            kMostTags, kMostTagBytes));
  }
  if (labels.note.size() > kMostNoteBytes)
    throw Error(Errc::usage, fmt::format("A note has at most {} bytes.", kMostNoteBytes));
}

/// Another server holds it for as long as it writes a file.
FileLock taken(const fs::path& file) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(10);
  for (int tries = 0; tries < kTries; ++tries) {
    if (auto lock = FileLock::take(file)) return *std::move(lock);
    std::this_thread::sleep_for(kPause);
  }
  throw Error(Errc::failed, "Another server is writing the labels; try again.");
}

}  // namespace

void make_unique(std::vector<std::string>& tags) {
  std::set<std::string> seen;
  std::erase_if(tags, [&](const std::string& tag) { return !seen.insert(tag).second; });
}

std::map<std::string, RunLabels> Labels::read() const {
  const std::optional<MappedFile> file = find_file(store_, file_);
  if (!file) return {};
  const std::string where = "labels.json";
  if (file->bytes().size() > kMostLabelsBytes)
    throw Error(Errc::bad_input, fmt::format("{}: is too large to be ours", where));
  auto labels = json::decode<LabelsFile>(json::parse(file->text(), where), where).labels;
  for (auto& [id, of_run] : labels) make_unique(of_run.tags);  // a hand may have written it
  return labels;
}

std::string Labels::state() const {
  try {
    return state_of(file_);
  } catch (const Error&) {
    return "no file;";
  }
}

std::map<std::string, RunLabels> Labels::all() {
  const std::lock_guard lock(mutex_);
  try {
    const std::string now = state_of(file_);
    if (now != state_) {
      known_ = read();
      state_ = now;
    }
    return known_;
  } catch (const Error&) {
    return {};  // runs are shown all the same; to set a label says what is wrong
  }
}

RunLabels Labels::of(const std::string& id) {
  const auto labels = all();
  const auto found = labels.find(id);
  return found == labels.end() ? RunLabels() : found->second;
}

void Labels::set(const std::string& id, const RunLabels& labels) {
  check(labels);
  const std::lock_guard lock(mutex_);
  const FileLock other_servers = taken(lock_);
  LabelsFile file{.labels = read()};
  if (labels == RunLabels()) {
    if (file.labels.erase(id) == 0) return;
  } else {
    file.labels[id] = labels;
  }
  write_atomic(store_, file_, json::dump(json::encode(file)));
  state_.clear();
}

}  // namespace quantlens::server
