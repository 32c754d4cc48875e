// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"

namespace quantlens {

// A record of a large network has lists of thousands of rows. Each of them stands in a file of its
// own, in columns: a page, or a column, is read without the rest (docs/format.md, "Rows").

/// Lists of more rows than this stand in a file of their own.
inline constexpr std::size_t kRowsInRecord = 1000;

/// Where the cells of such a file stand. It needs no bytes any more, and may be kept.
struct RowsIndex {
  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Column {
    std::string name;
    std::vector<Block> blocks;
  };
  std::string where;
  std::string text;  ///< as the file has it, by which the file is known again
  std::string stamp;
  std::uint64_t size = 0;
  bool is_packed = false;  ///< by gzip; layouts before 9 have the JSON itself
  std::vector<Column> columns;

  /// Throws Errc::bad_input, naming `where`, for a damaged one.
  static RowsIndex read(std::string_view bytes, std::string_view where);
};

/// Rows of such a file: reads its index, and of all else what is asked for. The bytes are those of
/// a mapped file, which must outlive this, so that what is not asked for stays on disk.
class RowsReader {
 public:
  /// Throws as RowsIndex::read does.
  RowsReader(std::string_view bytes, std::string_view where);
  /// Of an index that was read before. Throws Errc::bad_input where it is not that of these bytes.
  RowsReader(std::string_view bytes, std::shared_ptr<const RowsIndex> index);

  std::uint64_t size() const { return index_->size; }
  /// A member of an object inside of all rows is a column of its own: "op.id".
  std::vector<std::string> columns() const;
  /// Tells the contents of one file from those of another one; the record has the same.
  const std::string& stamp() const { return index_->stamp; }
  /// Cells `first` to `first + count` of a column, or objects of the columns inside of it ("op"),
  /// fewer where the rows end. Throws Errc::bad_input for damaged bytes, Errc::not_found where
  /// there is no such column.
  boost::json::array column(std::string_view name, std::uint64_t first, std::uint64_t count) const;
  /// Whole rows, as objects. Throws as column does.
  boost::json::array rows(std::uint64_t first, std::uint64_t count) const;

 private:
  using Column = RowsIndex::Column;
  std::string text(const Column& column, std::uint64_t number) const;
  boost::json::array block(const Column& column, std::uint64_t number) const;
  boost::json::array cells(const Column& column, std::uint64_t first, std::uint64_t count) const;
  /// Objects of those columns that have a path, which is empty where one has none.
  boost::json::array rows_of(const std::function<std::string_view(const Column&)>& path_of,
                             std::uint64_t first, std::uint64_t count) const;

  std::string_view bytes_;
  std::shared_ptr<const RowsIndex> index_;
};

/// A record's JSON without its long lists, each of which has {"rows": how many, "stamp": text} in
/// its place, and the bytes of their files by where they stood, as "activations" or
/// "reference.nodes".
struct SplitRecord {
  json::Value head;
  struct List {
    std::string path;
    std::string bytes;
  };
  std::vector<List> lists;
};

SplitRecord split_rows(json::Value record);

/// The reverse; `open` gives the file of the list that stood at this path. Throws Errc::bad_input,
/// naming `where`, for a file that is not the record's own: it may just have been written anew.
json::Value join_rows(json::Value head,
                      const std::function<MappedFile(std::string_view path)>& open,
                      std::string_view where);

/// Throws as join_rows does, for what it would throw, and reads no row.
void check_rows(const json::Value& head,
                const std::function<MappedFile(std::string_view path)>& open,
                std::string_view where);

/// The file of a list beside that of its record: "diagnosis.activations.rows".
std::string rows_file(std::string_view record_file, std::string_view path);

}  // namespace quantlens
