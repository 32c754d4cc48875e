// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/workspace.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <tuple>

#include <boost/describe.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/workload_id.h"

namespace quantlens {
namespace {

constexpr std::string_view kInterrupted = "interrupted";
constexpr std::string_view kOwnRecord = FileOf<Workload>::kName;

/// What can be read of a workload.json of any format.
struct FormatOnly {
  std::uint32_t format = kWorkloadFormat;
};
BOOST_DESCRIBE_STRUCT(FormatOnly, (), (format))

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

constexpr std::string_view kInstead = "put it back from a copy, or name another run";

/// "<id>/workload.json: is missing; ...".
[[noreturn]] void throw_unsound(const std::string& id, std::string_view what) {
  throw Error(Errc::bad_input,
              fmt::format("{}/{}: {}; {}", printable(id), kOwnRecord, what, kInstead));
}

/// Throws Errc::unsupported for a newer format, Errc::bad_input for what is no workload's record.
Workload decoded(std::string_view text, const std::string& id) {
  const std::string where = fmt::format("{}/{}", printable(id), kOwnRecord);
  const json::Value value = json::parse(text, where);
  const std::uint32_t format = json::decode<FormatOnly>(value, where).format;
  if (format > kWorkloadFormat) {
    throw Error(Errc::unsupported,
                fmt::format("workload {}: written in format {}, this quantlens reads up to {}; "
                            "update quantlens",
                            printable(id), format, kWorkloadFormat));
  }
  auto workload = json::decode<Workload>(value, where);
  workload.id = id;  // the folder is the truth, even if it was renamed
  return workload;
}

/// The same, and says what to do.
Workload decode_workload(std::string_view text, const std::string& id) {
  if (text.empty()) throw_unsound(id, "is empty");
  try {
    return decoded(text, id);
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;
    throw Error(Errc::bad_input, fmt::format("{}; {}", error.what(), kInstead));
  }
}

bool is_unfinished(const Workload& workload) {
  return workload.state == WorkloadState::new_ || workload.state == WorkloadState::wip;
}

/// "workload 'x': several begin so: a, b; give more letters".
[[noreturn]] void throw_several(const std::string& asked, std::string_view why,
                                std::vector<std::string> ids, std::string_view instead) {
  constexpr std::size_t kNamed = 5;
  const bool more = ids.size() > kNamed;
  ids.resize(std::min(ids.size(), kNamed));
  throw Error(Errc::usage, fmt::format("workload '{}': {}: {}{}; {}", printable(asked), why,
                                       printable(fmt::format("{}", fmt::join(ids, ", "))),
                                       more ? ", ..." : "", instead));
}

/// A workload of which nothing but its folder's name is known.
Workload failed_workload(const std::string& id, const std::string& message) {
  Workload workload;
  workload.id = id;
  workload.state = WorkloadState::failure;
  workload.message = message;
  workload.created = time_of_workload_id(id);
  return workload;
}

/// Whether these names are all that there is of a run that died before it wrote a record.
bool is_begun(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& name) {
    return name == "lock" || name.starts_with(fmt::format("{}.part", kOwnRecord));
  });
}

/// Whether quantlens made the folder that holds these names.
bool is_ours(const std::vector<std::string>& names) {
  return std::ranges::find(names, kOwnRecord) != names.end() || is_begun(names);
}

}  // namespace

fs::path default_workspace() {
  if (const char* chosen = environment("QUANTLENS_WORKSPACE")) return chosen;
  const char* data = environment("XDG_DATA_HOME");
  if (data != nullptr && fs::path(data).is_absolute()) return fs::path(data) / "quantlens";
  if (const char* home = environment("HOME")) return fs::path(home) / ".local/share/quantlens";
  throw Error(Errc::usage,
              "neither QUANTLENS_WORKSPACE nor HOME is set; say where runs are kept with "
              "--workspace FOLDER");
}

bool Workspace::on_disk() const {
  return dynamic_cast<const DiskStore*>(&store_) != nullptr;
}

std::unique_ptr<WorkloadWriter> Workspace::create(const std::string& verb, const std::string& name,
                                                  const std::vector<std::string>& arguments) {
  constexpr int kTries = 100;
  std::random_device random;
  const Moment now = std::chrono::system_clock::now();
  Workload workload;
  workload.name = name;
  workload.verb = verb;
  workload.arguments = arguments;
  workload.created = utc_text(now);
  for (int i = 0; i < kTries; ++i) {
    workload.id = make_workload_id(now, verb, name, static_cast<std::uint16_t>(random()));
    const fs::path folder = workloads() / workload.id;
    if (!store_.list(folder).empty()) continue;
    store_.make_folder(folder);
    try {
      return std::make_unique<WorkloadWriter>(store_, folder, workload);
    } catch (const Error& error) {
      // Errc::failed: another process took this very id first, and the folder is its own.
      if (error.code() == Errc::failed) continue;
      store_.remove(folder);
      throw;
    }
  }
  throw Error(Errc::failed,
              fmt::format("{}: no id is free; try again", printable(workloads().string())));
}

std::vector<std::string> Workspace::ids() const {
  std::vector<std::string> ids = store_.list(workloads());
  std::erase_if(ids, [this](const std::string& id) {
    if (id.starts_with('.')) return true;
    const fs::path folder = workloads() / id;
    std::error_code ignored;
    if (on_disk() && !fs::is_directory(folder, ignored)) return true;
    try {
      return store_.list(folder).empty();  // being made just now
    } catch (const Error&) {
      return false;  // shown with the reason
    }
  });
  return ids;
}

std::optional<Workload> Workspace::read(const std::string& id) const {
  MappedFile file;
  try {
    file = store_.read(workloads() / id / kOwnRecord);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    throw;
  }
  return decode_workload(file.text(), id);
}

Workload Workspace::without_record(const std::string& id) const {
  if (!is_begun(store_.list(workloads() / id))) throw_unsound(id, "is missing");
  return failed_workload(id, std::string(kInterrupted));
}

Workload Workspace::describe(const std::string& id) const {
  std::optional<Workload> workload = read(id);
  if (workload && !is_unfinished(*workload)) return *std::move(workload);
  if (!on_disk()) return workload ? *workload : without_record(id);

  const FileLock::State lock = FileLock::state(workloads() / id / "lock");
  if (lock == FileLock::State::free) {
    workload = read(id);  // it may have been finished since
    if (!workload) return without_record(id);
    if (!is_unfinished(*workload)) return *std::move(workload);
    workload->state = WorkloadState::failure;
    workload->message = kInterrupted;
  }
  if (workload) return *std::move(workload);
  Workload beginning = failed_workload(id, "");
  beginning.state = WorkloadState::new_;
  return beginning;
}

std::vector<Workload> Workspace::list() const {
  std::vector<Workload> all;
  for (const std::string& id : ids()) {
    try {
      all.push_back(describe(id));
    } catch (const Error& error) {
      all.push_back(failed_workload(id, error.what()));
    }
  }
  std::ranges::sort(all, [](const Workload& a, const Workload& b) {
    return std::tie(a.created, a.id) > std::tie(b.created, b.id);
  });
  return all;
}

std::vector<std::string> Workspace::ids_of_name(const std::string& name) const {
  if (name.empty()) return {};
  std::vector<std::string> named;
  for (const Workload& workload : list()) {
    if (workload.name == name) named.push_back(workload.id);
  }
  return named;
}

std::string Workspace::resolve(const std::string& id) const {
  if (id == "last") {
    const std::vector<Workload> all = list();
    if (!all.empty()) return all.front().id;
  }
  const std::vector<std::string> known = ids();
  if (std::ranges::find(known, id) != known.end()) return id;
  std::vector<std::string> matches;
  std::ranges::copy_if(known, std::back_inserter(matches), [&](const std::string& other) {
    return !id.empty() && other.starts_with(id);
  });
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) throw_several(id, "several begin so", matches, "give more letters");
  const std::vector<std::string> named = ids_of_name(id);
  if (named.size() == 1) return named.front();
  if (named.size() > 1) throw_several(id, "several have this name", named, "give an id");
  const std::string near = did_you_mean(id, known);
  throw Error(Errc::not_found, fmt::format("workload '{}': there is none in {}; {}", printable(id),
                                           printable(root_.string()),
                                           near.empty() ? "see: quantlens workloads list" : near));
}

Workload Workspace::find(const std::string& id) const {
  const std::string full = resolve(id);
  try {
    return describe(full);
  } catch (const Error& error) {
    if (error.code() == Errc::unsupported) throw;
    return failed_workload(full, error.what());
  }
}

Workload Workspace::find_sound(const std::string& id) const {
  return describe(resolve(id));
}

fs::path Workspace::folder(const std::string& id) const {
  return workloads() / resolve(id);
}

void Workspace::remove(const std::string& id) {
  const std::string full = resolve(id);
  const fs::path folder = workloads() / full;
  std::error_code ignored;
  if (on_disk() && fs::is_symlink(fs::symlink_status(folder, ignored))) {
    throw Error(Errc::bad_input, fmt::format("{}: is a symbolic link, which quantlens never makes; "
                                             "remove it by hand",
                                             printable(folder.string())));
  }
  if (!is_ours(store_.list(folder))) {
    throw Error(Errc::bad_input,
                fmt::format("{}: holds no workload.json, so quantlens did not make "
                            "it; remove it by hand",
                            printable(folder.string())));
  }
  std::optional<FileLock> lock;
  if (on_disk()) {
    lock = FileLock::take(folder / "lock");
    if (!lock) {
      throw Error(Errc::failed, fmt::format("workload {}: is being written; wait for its end or "
                                            "stop it first",
                                            printable(full)));
    }
  }
  store_.remove(folder);
}

}  // namespace quantlens
