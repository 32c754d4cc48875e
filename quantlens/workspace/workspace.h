// workspace: the folder of all runs: one folder a workload, readable without locks, written by one.
// The folders are the truth; nothing here knows what the records mean. Start here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/graph/cut.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/file_lock.h"

namespace quantlens {

/// $QUANTLENS_WORKSPACE, else the user's data folder ($XDG_DATA_HOME or ~/.local/share, then
/// /quantlens). Throws Errc::usage where the environment tells neither.
fs::path default_workspace();

/// A workload being written. Marks itself failed ("interrupted") when destroyed unfinished. On disk
/// its folder is locked meanwhile; how a process ends does not matter, its lock ends with it.
class WorkloadWriter {
 public:
  /// Sets the state to wip and saves; an earlier run's workload is thereby taken up again.
  /// Throws Errc::failed where another process writes it. REQUIRES: the folder exists.
  WorkloadWriter(Store& store, fs::path folder, Workload workload);
  ~WorkloadWriter();
  WorkloadWriter(const WorkloadWriter&) = delete;
  WorkloadWriter& operator=(const WorkloadWriter&) = delete;

  const Workload& workload() const { return workload_; }
  const fs::path& folder() const { return folder_; }
  /// Writes a record to its files, the one that names the others last, each all or nothing.
  template <class Record>
  void put(const Record& record) {
    static_assert(!std::is_same_v<Record, Workload>, "the writer keeps it");
    write(to_files(record));
  }
  /// The same of a record that `to_file` has made bytes of already.
  template <class Record>
  void put_bytes(std::string_view bytes) {
    write(FileOf<Record>::kName, bytes);
  }
  /// While it lives, what is written goes to a folder below the workload's: what a trial made.
  class Part {
   public:
    Part(WorkloadWriter& writer, std::string part) : writer_(writer) {
      writer_.part_ = std::move(part);
    }
    ~Part() { writer_.part_.clear(); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    WorkloadWriter& writer_;
  };
  /// Writes what is made of records (`exported`), all or nothing; "runs/a" makes the folder runs.
  /// REQUIRES: a relative path that stays inside, not workload.json or lock.
  void write(std::string_view file, std::string_view bytes);
  /// Adds a line to a log. Never throws: a log that cannot be written stops nothing.
  void log(std::string_view file, std::string_view line) noexcept;
  void add_model(const ModelFile& model);   ///< in place of one with the same role and path
  void drop_model(const ModelFile& model);  ///< the one with the same role and path, if any
  /// Adds the models likewise, and the values to `environment`; saves once.
  void describe(const std::vector<ModelFile>& models,
                const std::map<std::string, std::string>& environment);
  /// Between which ends the models are looked at; saves once.
  void describe(const Ends& ends);
  /// What is measured over which samples; saves once.
  void describe(const std::vector<DataUsed>& data, const std::string& metric);
  /// Saved with the end.
  void note(std::string_view sentence);
  /// Seconds by phase, saved with the end.
  void set_times(std::map<std::string, double> times) { workload_.times = std::move(times); }
  /// Where this cannot be saved, the workload is a failure and the error is thrown.
  void succeed();
  /// Never throws: what led here may well be a full disk. A reader then sees "interrupted".
  void fail(const std::string& message);

 private:
  void write(const StoredRecord& record);
  void write_channels(const StoredRecord& record);
  void finish(WorkloadState state, const std::string& message);
  void save();

  Store& store_;
  fs::path folder_;
  Workload workload_;
  std::string part_;  ///< as Part has it; empty: the workload's own folder
  bool finished_ = false;
  std::optional<FileLock> lock_;  ///< held while this lives; only where the store is the disk
};

/// The registry over a workspace folder.
class Workspace {
 public:
  /// `root` empty: default_workspace().
  Workspace(Store& store, fs::path root)
      : store_(store), root_(root.empty() ? default_workspace() : std::move(root)) {}
  const fs::path& root() const { return root_; }

  /// A new workload, state wip. `id` sorts by time: "20261121-113045-quantize-mobilenet-3f2a".
  std::unique_ptr<WorkloadWriter> create(const std::string& verb, const std::string& name,
                                         const std::vector<std::string>& arguments);
  /// All of them, newest first. One that was being written by a process that is gone shows as
  /// failure, "interrupted"; one whose workload.json cannot be read, or is of a newer format, shows
  /// as failure with the reason.
  std::vector<Workload> list() const;
  /// By id, or a unique beginning of it, or "last", or, where no id begins so, the name that it
  /// alone has; as `list` shows it. Throws Errc::not_found, naming the nearest; Errc::usage where
  /// several begin so or have that name, naming them; Errc::unsupported for a newer format.
  Workload find(const std::string& id) const;
  /// The same of one whose records are to be read. Throws Errc::bad_input as well, where its
  /// workload.json is missing or damaged.
  Workload find_sound(const std::string& id) const;
  /// Of a workload named as in `find`, readable or not.
  fs::path folder(const std::string& id) const;
  /// Removes its folder, only if quantlens made it; never anything outside. `id` as in `find`.
  /// Throws Errc::failed for one that is being written, Errc::bad_input for a folder that
  /// quantlens did not make or that is a symbolic link.
  void remove(const std::string& id);

 private:
  fs::path workloads() const { return root_ / "workloads"; }
  bool on_disk() const;
  std::vector<std::string> ids() const;
  std::vector<std::string> ids_of_name(const std::string& name) const;  ///< newest first
  std::string resolve(const std::string& id) const;
  std::optional<Workload> read(const std::string& id) const;  ///< nothing where its file is absent
  /// Of one that nobody writes and that has no workload.json.
  Workload without_record(const std::string& id) const;
  Workload describe(const std::string& id) const;

  Store& store_;
  fs::path root_;
};

}  // namespace quantlens
