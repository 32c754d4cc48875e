// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/progress_events.h"

namespace quantlens {

/// A record itself, a long list of it in a file of its own, or anything else: tables, logs, models,
/// folders.
BOOST_DEFINE_ENUM_CLASS(StoredKind, record, rows, other)

/// An entry of a workload's folder.
struct StoredFile {
  std::string name;
  StoredKind kind = StoredKind::other;
  std::optional<std::string> record;     ///< "diagnosis": which one it holds, or a list of
  std::optional<std::uint32_t> version;  ///< of its form; absent for what is no record's
  std::optional<std::uint64_t> bytes;    ///< absent for a folder and for what cannot be read
};
BOOST_DESCRIBE_STRUCT(StoredFile, (), (name, kind, record, version, bytes))

/// Where a run's records are, and what is there (workspace/read_folder.h).
struct RunFolder {
  std::string folder;
  std::vector<StoredFile> files;  ///< by name
  /// Of a run that has not succeeded: what it reported last of a step.
  std::optional<ProgressEvent> progress = {};
};
BOOST_DESCRIBE_STRUCT(RunFolder, (), (folder, files, progress))

}  // namespace quantlens
