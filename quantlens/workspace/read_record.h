// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"
#include "quantlens/record/files.h"

namespace quantlens {

/// The record that a file holds; nothing where there is no such file. Throws as from_file does.
template <class Record>
std::optional<Record> read_record(const Store& store, const fs::path& path) {
  try {
    const MappedFile file = store.read(path);
    return from_file<Record>(file.text(), printable(path.string()));
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    throw;
  }
}

/// The records of one workload, whoever writes it meanwhile: each file is there whole or not at
/// all.
class WorkloadReader {
 public:
  /// `folder`: as Workspace::folder has it.
  WorkloadReader(const Store& store, fs::path folder) : store_(store), folder_(std::move(folder)) {}

  /// Nothing where the workload has no such record. `part`: as of WorkloadWriter::put.
  template <class Record>
  std::optional<Record> get(std::string_view part = {}) const {
    return read_record<Record>(store_, path<Record>(part));
  }
  template <class Record>
  fs::path path(std::string_view part = {}) const {
    return folder_ / part / FileOf<Record>::kName;
  }

 private:
  const Store& store_;
  fs::path folder_;
};

}  // namespace quantlens
