// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/report/tensorboard/event_file.h"

namespace quantlens::flow {

/// The folders `<root>/eval/<run>` that TensorBoard shows as runs, each with one file of events.
class EventFolder {
 public:
  /// `seconds` since 1970: the run's own time, by which its files are called as well.
  EventFolder(Store& store, fs::path root, double seconds)
      : store_(store), root_(std::move(root)), seconds_(seconds) {}

  /// Writes the events of a run, in place of those that quantlens wrote into this folder before:
  /// the new file is there whole before the earlier one goes. Throws Errc::usage where another
  /// program's events are in it, and as the store does.
  void write(const std::string& run, const std::function<void(EventFile&)>& events);

  const std::vector<std::string>& written() const { return written_; }
  fs::path path(const std::string& run) const { return root_ / "eval" / run; }
  /// Runs that are there beside those that were written.
  std::vector<std::string> others() const;

 private:
  Store& store_;
  fs::path root_;
  double seconds_;
  std::vector<std::string> written_;
};

}  // namespace quantlens::flow
