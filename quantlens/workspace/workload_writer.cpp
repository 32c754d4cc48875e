// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/workload_id.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace {

/// Our own mistake where it is false, never a user's.
[[maybe_unused]] bool stays_inside(const fs::path& file) {
  return file.is_relative() && !file.empty() && file == file.lexically_normal() &&
         *file.begin() != ".." && file != FileOf<Workload>::kName && file != "lock";
}

bool is_same(const ModelFile& one, const ModelFile& other) {
  return one.role == other.role && one.path == other.path;
}

/// The lists of channels of the records that a folder has, those included that are about to be
/// replaced: somebody may be reading them. None where they cannot be read.
ChannelLists channels_in_use(const Store& store, const fs::path& folder) {
  try {
    const std::optional<MappedFile> file = find_file(store, folder / kChannels);
    if (!file) return {};
    const ChannelListsReader reader(file->text(), kChannels);
    ChannelLists lists;
    for (const std::string_view name : {FileOf<Plan>::kName, FileOf<Pairing>::kName}) {
      if (const std::optional<MappedFile> record = find_file(store, folder / name))
        lists.merge(reader.named_in(record->text()));
    }
    return lists;
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    return {};
  }
}

}  // namespace

WorkloadWriter::WorkloadWriter(Store& store, fs::path folder, Workload workload)
    : store_(store), folder_(std::move(folder)), workload_(std::move(workload)) {
  if (dynamic_cast<const DiskStore*>(&store_) != nullptr) {
    lock_ = FileLock::take(folder_ / "lock");
    if (!lock_) {
      throw Error(Errc::failed, fmt::format("workload {}: another process is writing it; wait for "
                                            "its end or stop it",
                                            printable(workload_.id)));
    }
  }
  workload_.format = kWorkloadFormat;
  workload_.state = WorkloadState::wip;
  workload_.message.clear();
  workload_.finished.clear();
  workload_.notes.clear();
  save();
}

WorkloadWriter::~WorkloadWriter() {
  if (!finished_) fail("interrupted");
}

void WorkloadWriter::write(std::string_view file, std::string_view bytes) {
  assert(stays_inside(file));
  const fs::path path = folder_ / part_ / file;
  if (path.parent_path() != folder_) store_.make_folder(path.parent_path());
  write_atomic(store_, path, bytes);
}

void WorkloadWriter::write(const StoredRecord& stored) {
  write_channels(stored);
  for (const FileBytes& file : stored.files) write(file.name, file.bytes);
  const fs::path written = stored.files.back().name;
  const bool is_packed = written.extension() == kPackedEnding;
  const fs::path record = is_packed ? written.stem() : written;
  const fs::path other = is_packed ? record : packed(record);
  // The other form, and lists, that an earlier version of the record had. Who finds both forms
  // reads the plain one.
  const fs::path folder = folder_ / part_;
  for (const std::string& name : store_.list(folder)) {
    const bool is_list = name.starts_with(record.stem().string() + ".") && name.ends_with(".rows");
    const bool is_stale =
        is_list && std::ranges::find(stored.files, name, &FileBytes::name) == stored.files.end();
    if (name == other || is_stale) store_.remove(folder / name);
  }
}

void WorkloadWriter::write_channels(const StoredRecord& record) {
  if (record.channels.empty()) return;
  ChannelLists lists = record.channels;
  lists.merge(channels_in_use(store_, folder_ / part_));
  write(kChannels, to_bytes(lists));
}

void WorkloadWriter::log(std::string_view file, std::string_view line) noexcept {
  try {
    store_.append(folder_ / file, line);
  } catch (const std::exception&) {
    // What matters is written by `write`, which says so where it cannot.
  }
}

void WorkloadWriter::add_model(const ModelFile& model) {
  describe({model}, {});
}

void WorkloadWriter::drop_model(const ModelFile& model) {
  const ModelFile one = model;  // it may be the writer's own
  std::erase_if(workload_.models, [&](const ModelFile& other) { return is_same(one, other); });
  save();
}

void WorkloadWriter::describe(const std::vector<ModelFile>& models,
                              const std::map<std::string, std::string>& environment) {
  for (const ModelFile& model : models) {
    const auto same = std::ranges::find_if(
        workload_.models, [&](const ModelFile& other) { return is_same(model, other); });
    if (same != workload_.models.end()) {
      *same = model;
    } else {
      workload_.models.push_back(model);
    }
  }
  for (const auto& [key, value] : environment) workload_.environment[key] = value;
  save();
}

void WorkloadWriter::describe(const Ends& ends) {
  workload_.inputs = ends.inputs;
  workload_.outputs = ends.outputs;
  save();
}

void WorkloadWriter::describe(const std::vector<DataUsed>& data, const std::string& metric) {
  workload_.data = data;
  workload_.metric = metric;
  save();
}

void WorkloadWriter::note(std::string_view sentence) {
  if (workload_.notes.size() < kNotesKept) workload_.notes.emplace_back(sentence);
}

void WorkloadWriter::succeed() {
  try {
    finish(WorkloadState::success, "");
  } catch (const Error& error) {
    fail(error.what());
    throw;
  }
}

void WorkloadWriter::fail(const std::string& message) {
  try {
    finish(WorkloadState::failure, message);
  } catch (const std::exception&) {
    // The file still says wip and the lock ends with this object: readers see "interrupted".
    finished_ = true;
  }
}

void WorkloadWriter::finish(WorkloadState state, const std::string& message) {
  workload_.state = state;
  workload_.message = message;
  workload_.finished = utc_text(std::chrono::system_clock::now());
  save();
  finished_ = true;
}

void WorkloadWriter::save() {
  write_atomic(store_, folder_ / FileOf<Workload>::kName, to_file(workload_));
}

}  // namespace quantlens
