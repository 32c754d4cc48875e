// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json/array.hpp>

#include "quantlens/base/store.h"
#include "server/api/kept.h"
#include "server/api/kept_indexes.h"

namespace quantlens::server {

/// A list of a record that stands in its file, or in one of its own, as `ListReader` has it; of a
/// record whose other lists are long nothing but this one is read.
class TableReader {
 public:
  /// `list`: "activations", "reference.nodes". Throws Errc::not_found where there is no such
  /// record or list, Errc::bad_input for what is damaged.
  static TableReader open(const Store& store, const fs::path& record, std::string_view list);
  /// The same, of what is kept of its files.
  static TableReader open(const Store& store, KeptIndexes& kept, const fs::path& record,
                          std::string_view list);
  /// The files that it reads.
  static std::vector<fs::path> files(const fs::path& record, std::string_view list);

  std::uint64_t size() const;
  /// A member of an object inside of all rows is a column of its own: "op.id".
  std::vector<std::string> columns() const;
  bool has(std::string_view column) const;
  boost::json::array column(std::string_view name, std::uint64_t first, std::uint64_t count) const;
  boost::json::array rows(std::uint64_t first, std::uint64_t count) const;

 private:
  struct Long;
  std::shared_ptr<const Long> long_;
  std::shared_ptr<const boost::json::array> held_;
};

/// Which rows of a list have a text in a column: the column is read once, and forgotten when its
/// file changes or others are asked for. Called from several threads at once.
class RowIndexes {
 public:
  std::vector<std::uint64_t> find(const TableReader& table, const std::string& state,
                                  std::string_view column, std::string_view text);

 private:
  /// Rows by the hash of their text.
  using Index = std::unordered_multimap<std::uint64_t, std::uint32_t>;

  static constexpr std::size_t kMost = 32;
  Kept<Index> kept_{kMost};
};

}  // namespace quantlens::server
