// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/base/progress_events.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"
#include "quantlens/record/files.h"

namespace quantlens {

/// The packed form of a record's file (`kMayBePacked`).
fs::path packed(const fs::path& record);

/// A file, or the text of its packed form where that is there alone. Nothing where there is
/// neither. Throws Errc::io for what is no file, or may not be read, and Errc::bad_input for
/// damaged bytes.
std::optional<MappedFile> find_file(const Store& store, const fs::path& path);

/// A record's JSON with its long lists, whoever writes it meanwhile; nothing where there is no such
/// file. Throws Errc::bad_input for what is damaged.
std::optional<json::Value> read_value(const Store& store, const fs::path& path);

/// A record's JSON as its file has it: where a long list has a file of its own, what stands in its
/// place. Nothing where there is no such file. Throws Errc::bad_input for what is damaged.
std::optional<json::Value> read_head(const Store& store, const fs::path& path);

/// The same as text, as `to_file` makes it of the record.
std::optional<std::string> read_text(const Store& store, const fs::path& path);

/// Throws Errc::bad_input for a record whose JSON, or a list of which in a file of its own, is
/// missing, damaged or another record's, or cannot be read; reads no row. A record that is not
/// there is sound.
void check_record(const Store& store, const fs::path& path);

/// The record that a file holds, with its long lists; nothing where there is no such file. Throws
/// as from_file does.
template <class Record>
std::optional<Record> read_record(const Store& store, const fs::path& path) {
  const std::string where = printable(path.string());
  if constexpr (kIsBinary<Record>) {
    const std::optional<MappedFile> file = find_file(store, path);
    return file ? std::optional(from_file<Record>(file->text(), where)) : std::nullopt;
  } else {
    const std::optional<json::Value> value = read_value(store, path);
    return value ? std::optional(from_value<Record>(*value, where)) : std::nullopt;
  }
}

/// A list of a record, read page by page where it has a file of its own.
class ListReader {
 public:
  /// `list`: where it stands in the record, as "activations". Nothing where there is no such
  /// record, or no such list in it. Throws Errc::bad_input for what is damaged.
  static std::optional<ListReader> open(const Store& store, const fs::path& record,
                                        std::string_view list);

  std::uint64_t size() const;
  /// As RowsReader has them.
  boost::json::array rows(std::uint64_t first, std::uint64_t count) const;
  boost::json::array column(std::string_view name, std::uint64_t first, std::uint64_t count) const;

 private:
  MappedFile file_;
  std::optional<RowsReader> reader_;  ///< of `file_`; absent where the record holds the rows
  boost::json::array held_;
  std::string where_;
};

/// The records of one workload, whoever writes it meanwhile: each file is there whole or not at
/// all.
class WorkloadReader {
 public:
  /// `folder`: as Workspace::folder has it.
  WorkloadReader(const Store& store, fs::path folder) : store_(store), folder_(std::move(folder)) {}

  /// Nothing where the workload has no such record. `part`: as of WorkloadWriter::Part.
  template <class Record>
  std::optional<Record> get(std::string_view part = {}) const {
    return read_record<Record>(store_, path<Record>(part));
  }
  /// A list of a record, as "activations".
  template <class Record>
  std::optional<ListReader> list(std::string_view name, std::string_view part = {}) const {
    return ListReader::open(store_, path<Record>(part), name);
  }
  /// What the run has reported so far. Throws as events_of_lines does.
  std::vector<ProgressEvent> events() const;
  template <class Record>
  fs::path path(std::string_view part = {}) const {
    return folder_ / part / FileOf<Record>::kName;
  }

 private:
  const Store& store_;
  fs::path folder_;
};

}  // namespace quantlens
