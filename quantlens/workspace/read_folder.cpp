// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_folder.h"

#include <algorithm>

#include "quantlens/record/binary_record.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens {
namespace {

struct Held {
  std::optional<std::string> record;  ///< its file without the ending; of several records none
  StoredKind kind = StoredKind::record;
  bool is_binary = false;
};

/// What the table of record files says of a name; nothing of one that it does not have.
std::optional<Held> held_by(std::string_view name) {
  std::optional<Held> held;
  boost::mp11::mp_for_each<RecordFiles>([&](auto file) {
    using File = decltype(file);
    const std::string_view record = File::kName.substr(0, File::kName.find('.'));
    if (name == File::kName || packed(File::kName) == name) {
      held = {std::string(record), StoredKind::record, kIsBinary<typename File::Record>};
    } else if (name.starts_with(record) && name.substr(record.size()).starts_with('.') &&
               name.ends_with(".rows")) {
      held = {std::string(record), StoredKind::rows, false};
    }
  });
  if (name == kChannels) held = {std::nullopt, StoredKind::rows, false};
  return held;
}

/// Nothing for a folder, for what is gone by now, and for what may not be read.
std::optional<MappedFile> readable(const Store& store, const fs::path& path) {
  try {
    return find_file(store, path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

StoredFile stored_file(const Store& store, const fs::path& path, std::uint32_t format) {
  StoredFile stored;
  stored.name = path.filename().string();
  const std::optional<MappedFile> file = readable(store, path);
  if (file) stored.bytes = file->bytes().size();
  if (const std::optional<Held> held = held_by(stored.name)) {
    stored.kind = held->kind;
    stored.record = held->record;
    if (!held->is_binary)
      stored.version = format;
    else if (file)
      stored.version = version_of_bytes(file->text());
  }
  return stored;
}

/// Nothing where that cannot be told: a run is shown all the same.
std::optional<ProgressEvent> latest(const Store& store, const fs::path& folder) {
  try {
    const std::vector<ProgressEvent> events = WorkloadReader(store, folder).events();
    const auto found =
        std::ranges::find_if(events.rbegin(), events.rend(),
                             [](const ProgressEvent& one) { return one.step.has_value(); });
    return found == events.rend() ? std::nullopt : std::optional(*found);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

RunFolder read_folder(const Store& store, const Workspace& workspace, const Workload& run) {
  const fs::path folder = workspace.folder(run.id);
  RunFolder found{.folder = folder.string(), .files = {}};
  for (const std::string& name : store.list(folder)) {
    found.files.push_back(stored_file(store, folder / name, run.format));
  }
  if (run.state != WorkloadState::success) found.progress = latest(store, folder);
  return found;
}

}  // namespace quantlens
