// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// What people say of a run. It is no record of the run, which nobody changes after its end.
struct RunLabels {
  std::vector<std::string> tags;
  std::string note;
  bool operator==(const RunLabels&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunLabels, (), (tags, note))

/// Of equal tags the first stays.
void make_unique(std::vector<std::string>& tags);

inline constexpr std::size_t kMostTags = 16;
inline constexpr std::size_t kMostTagBytes = 64;
inline constexpr std::size_t kMostNoteBytes = 4096;

/// Tags and notes of all runs, in one file of the workspace's root, labels.json. Called from
/// several threads at once; other servers of the same workspace may write the file meanwhile.
class Labels {
 public:
  Labels(Store& store, const fs::path& root)
      : store_(store), file_(root / "labels.json"), lock_(root / "labels.lock") {}

  /// Of the file they are in, as answers are made of it; one that is no regular file hides no run.
  std::string state() const;
  /// Of all runs that have some, by id; empty where the file is damaged.
  std::map<std::string, RunLabels> all();
  RunLabels of(const std::string& id);
  /// Empty ones are taken away. Throws Errc::usage for what is out of bounds, Errc::failed where
  /// another server keeps the file locked, Errc::bad_input where the file is damaged: it is then
  /// left as it is.
  void set(const std::string& id, const RunLabels& labels);

 private:
  std::map<std::string, RunLabels> read() const;

  Store& store_;
  fs::path file_, lock_;
  std::mutex mutex_;
  std::string state_;  // of the file when it was read
  std::map<std::string, RunLabels> known_;
};

}  // namespace quantlens::server
