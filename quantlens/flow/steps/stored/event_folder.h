// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/report/tensorboard/event_file.h"

namespace quantlens::flow {

/// The folders `<root>/eval/<run>` that TensorBoard shows as runs, each with one file of events.
class EventFolder {
 public:
  /// `id`: of the run whose events are written, `seconds` since 1970 its own time. Its files are
  /// called by both.
  EventFolder(Store& store, fs::path root, std::string id, double seconds)
      : store_(store), root_(std::move(root)), id_(std::move(id)), seconds_(seconds) {}
  /// To look at, not to write.
  EventFolder(Store& store, fs::path root) : EventFolder(store, std::move(root), {}, 0) {}

  ~EventFolder();  ///< removes what was not published, and folders that it made and that are empty
  EventFolder(const EventFolder&) = delete;
  EventFolder& operator=(const EventFolder&) = delete;

  /// A run whose events are being written; nothing of it is in its place before `publish`.
  class Run {
   public:
    EventFile& events() { return events_; }

   private:
    friend class EventFolder;
    Run(std::string name, std::string file, std::unique_ptr<FileWriter> bytes, double seconds)
        : name_(std::move(name)),
          file_(std::move(file)),
          bytes_(std::move(bytes)),
          events_(*bytes_, seconds) {}

    std::string name_, file_;
    std::unique_ptr<FileWriter> bytes_;
    EventFile events_;
  };

  /// Makes the folder that runs stand in. Throws as the store does.
  void make() { make_folder(root_ / "eval"); }
  /// Throws Errc::usage where another program's events are in the folder of this run.
  void check(const std::string& run) const;
  /// Throws as check does, and as the store.
  Run begin(const std::string& run);
  /// Its events are all there.
  void finish(Run& run);
  /// Puts all that was finished in place of what quantlens wrote into these folders before: all of
  /// it or, where that fails, nothing. Earlier events go once all are there.
  void publish();

  const std::vector<std::string>& written() const { return written_; }
  fs::path path(const std::string& run) const { return root_ / "eval" / run; }
  /// Those of them that were there before.
  const std::vector<std::string>& replaced() const { return replaced_; }
  /// Runs that are there beside those that were written.
  std::vector<std::string> others() const;

 private:
  struct Finished {
    std::string run, file, unfinished;  ///< the file's name, and what it is called until then
  };
  void make_folder(const fs::path& folder);
  void put_in_place(const Finished& one, std::vector<fs::path>& placed);
  void remove_earlier(const Finished& one);
  void remove_if_possible(const fs::path& file);

  Store& store_;
  fs::path root_;
  std::string id_;
  double seconds_;
  std::vector<Finished> finished_;
  std::vector<std::string> written_, replaced_;
  std::vector<fs::path> made_;
};

}  // namespace quantlens::flow
