// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/record/indexed_lines.h"

// A file of rows:
//   blocks    of each column in turn, a JSON array of up to kBlock cells each, packed by gzip one
//             by one; a member that is an object of the same keys in all rows has a column for each
//             of them, "op.id"
//   index     {"rows": N, "block": kBlock, "stamp": text,
//             "columns": {name: [where each block begins]}}, and where that begins
//             (indexed_lines.h)
// Layouts before 9 have a line of JSON for each block, and no coding.

namespace quantlens {
namespace {

constexpr std::uint64_t kBlock = 256;
constexpr std::size_t kStampBytes = 16;
constexpr std::ptrdiff_t kMostDots = 64;  // of a column: documents are no deeper
constexpr const char* kRows = "rows";
constexpr const char* kStamp = "stamp";
constexpr const char* kBlockSize = "block";
constexpr const char* kColumns = "columns";

std::string stamp_of(std::string_view blocks) {
  return sha256_hex(blocks).substr(0, kStampBytes);
}

std::uint64_t whole(const json::Value& value, std::string_view where) {
  if (value.is_uint64()) return value.get_uint64();
  if (!value.is_int64() || value.get_int64() < 0)
    refuse_file(where, "its index holds no such numbers");
  return static_cast<std::uint64_t>(value.get_int64());
}

const json::Value& member(const json::Value& index, const char* name, std::string_view where) {
  const auto* object = index.if_object();
  const json::Value* found = object != nullptr ? object->if_contains(name) : nullptr;
  if (found == nullptr) refuse_file(where, fmt::format("its index has no '{}'", name));
  return *found;
}

/// Steps with dots between them, as add_columns makes them.
bool is_path(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.back() != '.' &&
         name.find("..") == name.npos && std::ranges::count(name, '.') <= kMostDots;
}

std::uint64_t blocks_of(std::uint64_t rows) {
  return rows / kBlock + (rows % kBlock == 0 ? 0 : 1);
}

/// Objects with the same keys in the same order, each of which can be a step of a path.
template <class Values>
bool are_rows(const Values& values) {
  const auto* first = std::ranges::empty(values) ? nullptr : values.front()->if_object();
  if (first == nullptr || first->empty()) return false;
  const auto is_no_step = [](const auto& cell) {
    return cell.key().empty() || cell.key().find('.') != cell.key().npos;
  };
  if (std::ranges::any_of(*first, is_no_step)) return false;
  return std::ranges::all_of(values, [&](const json::Value* value) {
    const auto* row = value->if_object();
    return row != nullptr && std::ranges::equal(*row, *first, {}, &boost::json::key_value_pair::key,
                                                &boost::json::key_value_pair::key);
  });
}

/// Where the text that begins at `at` ends: at its quotation mark, or at the end of the line.
std::size_t end_of_text(std::string_view line, std::size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at) at += line[at] == '\\' ? 1 : 0;
  return at;
}

/// Cells `begin` to `end` of a block that has `of`.
struct Part {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t of;
};

/// Of JSON, what parts cells or may hold what does.
constexpr auto kParts = [] {
  std::array<bool, 256> parts{};
  for (const unsigned char c : std::string_view(",\"[]{}")) parts[c] = true;
  return parts;
}();

/// The cells of a part of an array, with the commas between them; nothing where it has another
/// number of cells.
std::optional<std::string_view> text_of(const Part& part, std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']') || line.size() < 3) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::uint64_t cell = 0;
  std::size_t depth = 0, from = 0, to = line.size();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (!kParts[static_cast<unsigned char>(c)]) continue;
    if (c == '"') at = end_of_text(line, at);
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || depth != 0) continue;
    ++cell;
    if (cell == part.begin) from = at + 1;
    if (cell == part.end) to = at;
  }
  if (cell + 1 != part.of) return std::nullopt;
  return line.substr(from, to - from);
}

/// Others of the line are passed over unread: a page is often a small part of its blocks.
boost::json::array part_of(std::string_view line, const Part& part, std::string_view where) {
  const auto text = text_of(part, line);
  json::Value cells;
  if (text) cells = json::parse(fmt::format("[{}]", *text), where);
  if (!cells.is_array() || cells.get_array().size() != part.end - part.begin)
    refuse_file(where, "one of its columns has another number of rows");
  return std::move(cells.get_array());
}

using Cells = std::vector<json::Value*>;  // one of each row

Cells cells_of(boost::json::array& list) {
  Cells cells;
  cells.reserve(list.size());
  for (json::Value& value : list) cells.push_back(&value);
  return cells;
}

/// Adds the columns of rows, or of one member of all rows, those inside of it one by one. Moves the
/// cells out. REQUIRES: are_rows.
void add_columns(const Cells& rows, const std::string& path, boost::json::object& columns,
                 std::string& bytes) {
  for (const auto& member : rows.front()->get_object()) {
    const std::string name =
        path.empty() ? std::string(member.key()) : path + '.' + std::string(member.key());
    Cells cells;
    cells.reserve(rows.size());
    for (json::Value* row : rows) cells.push_back(&row->get_object().at(member.key()));
    if (are_rows(cells)) {
      add_columns(cells, name, columns, bytes);
      continue;
    }
    boost::json::array begins;
    for (std::size_t first = 0; first < cells.size(); first += kBlock) {
      begins.emplace_back(bytes.size());
      boost::json::array block;
      for (std::size_t i = first; i < std::min<std::size_t>(first + kBlock, cells.size()); ++i) {
        block.push_back(std::move(*cells[i]));
      }
      bytes += packed_part(json::line(std::move(block)));
    }
    columns[name] = std::move(begins);
  }
}

/// Moves the cells out of `rows`. REQUIRES: are_rows.
std::string bytes_of(const Cells& rows, std::string& stamp) {
  std::string bytes;
  boost::json::object columns;
  add_columns(rows, {}, columns, bytes);
  stamp = stamp_of(bytes);
  return with_index(std::move(bytes), {{kRows, rows.size()},
                                       {kBlockSize, kBlock},
                                       {kStamp, stamp},
                                       {kColumns, std::move(columns)}});
}

/// The member of a row at a path as "op.id", with the objects on the way.
json::Value& member_at(boost::json::object& row, std::string_view path) {
  boost::json::object* object = &row;
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    json::Value& inner = (*object)[path.substr(0, dot)];
    object = inner.is_object() ? &inner.get_object() : &inner.emplace_object();
    path.remove_prefix(dot + 1);
  }
  return (*object)[path];
}

/// What stands in the record in place of a long list.
bool is_elsewhere(const json::Value& value) {
  const auto* object = value.if_object();
  return object != nullptr && object->size() == 2 && object->contains(kRows) &&
         object->contains(kStamp) && object->at(kStamp).is_string();
}

/// Calls `visit` with each member of an object that a struct may have, and its path: what a map
/// names as users do is no file's name.
template <class Visit>
void for_each_field(boost::json::object& object, const std::string& path, Visit&& visit) {
  for (auto& entry : object) {
    const std::string_view key = entry.key();
    const bool is_word = !key.empty() && std::ranges::all_of(key, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (is_word)
      visit(entry.value(), path.empty() ? std::string(key) : path + "." + std::string(key));
  }
}

void take_lists(json::Value& value, const std::string& path, std::vector<SplitRecord::List>& out) {
  if (auto* object = value.if_object()) {
    for_each_field(*object, path, [&](json::Value& field, const std::string& place) {
      take_lists(field, place, out);
    });
    return;
  }
  auto* list = value.if_array();
  if (list == nullptr || path.empty() || list->size() <= kRowsInRecord) return;
  const Cells cells = cells_of(*list);
  if (!are_rows(cells)) return;
  const std::size_t rows = list->size();
  std::string stamp;
  out.push_back({path, bytes_of(cells, stamp)});
  value = {{kRows, rows}, {kStamp, stamp}};
}

/// Where a record's JSON has the stamp of a list that stands elsewhere, and the list's path.
struct Elsewhere {
  json::Value& value;
  const std::string& path;
};

template <class Visit>
void for_each_elsewhere(json::Value& value, const std::string& path, Visit&& visit) {
  auto* object = value.if_object();
  if (object == nullptr) return;
  if (is_elsewhere(value)) return visit(Elsewhere{value, path});
  for_each_field(*object, path, [&](json::Value& field, const std::string& place) {
    for_each_elsewhere(field, place, visit);
  });
}

/// The rows of a file that is the record's own, and whole.
RowsReader sound_rows(const MappedFile& file, const Elsewhere& list, std::string_view where) {
  const std::string name = rows_file(where, list.path);
  const auto& told = list.value.get_object();
  RowsReader reader(file.text(), name);
  if (reader.stamp() != told.at(kStamp).get_string()) refuse_file(name, "it is not this record's");
  if (stamp_of(file.text().substr(0, index_begin(file.text(), name))) != reader.stamp()) {
    refuse_file(name, "its rows are not those that were written");
  }
  if (reader.size() != whole(told.at(kRows), where)) {
    refuse_file(name, "it has another number of rows than its record says");
  }
  return reader;
}

}  // namespace

RowsIndex RowsIndex::read(std::string_view bytes, std::string_view where) {
  const std::uint64_t begin = index_begin(bytes, where);
  RowsIndex made;
  made.where = where;
  made.text = line_at(bytes, begin, where);
  const json::Value index = json::parse(made.text, where);
  made.is_packed = has_packed_parts(index, where);
  made.size = whole(member(index, kRows, where), where);
  const json::Value& stamp = member(index, kStamp, where);
  const json::Value& columns = member(index, kColumns, where);
  if (whole(member(index, kBlockSize, where), where) != kBlock || !stamp.is_string() ||
      !columns.is_object()) {
    refuse_file(where, "its index is of another form");
  }
  made.stamp = stamp.get_string();
  Block* last = nullptr;  // blocks have bytes of their own: memory is in the file's measure
  for (const auto& entry : columns.get_object()) {
    const auto* begins = entry.value().if_array();
    if (begins == nullptr || begins->size() != blocks_of(made.size)) {
      refuse_file(where, "its index has another number of rows");
    }
    Column& column = made.columns.emplace_back();
    column.name = entry.key();
    if (!is_path(column.name)) refuse_file(where, "its index is of another form");
    column.blocks.reserve(begins->size());
    for (const json::Value& offset : *begins) {
      const std::uint64_t from = whole(offset, where);
      if (last != nullptr && from <= last->begin) refuse_file(where, "its index is not in order");
      if (from >= begin) refuse_file(where, "its index points behind its end");
      if (last != nullptr) last->end = from;
      last = &column.blocks.emplace_back(Block{.begin = from, .end = begin});
    }
  }
  return made;
}

RowsReader::RowsReader(std::string_view bytes, std::string_view where)
    : bytes_(bytes), index_(std::make_shared<const RowsIndex>(RowsIndex::read(bytes, where))) {}

RowsReader::RowsReader(std::string_view bytes, std::shared_ptr<const RowsIndex> index)
    : bytes_(bytes), index_(std::move(index)) {
  const std::string_view where = index_->where;
  if (line_at(bytes, index_begin(bytes, where), where) != index_->text)
    refuse_file(where, "it has another index than a moment ago");
}

std::vector<std::string> RowsReader::columns() const {
  std::vector<std::string> names;
  names.reserve(index_->columns.size());
  for (const Column& column : index_->columns) names.push_back(column.name);
  return names;
}

std::string RowsReader::text(const Column& column, std::uint64_t number) const {
  const auto [begin, end] = column.blocks.at(number);
  if (!index_->is_packed) return std::string(line_at(bytes_, begin, index_->where));
  if (end > bytes_.size()) refuse_file(index_->where, "its index points behind its end");
  return gunzip(bytes_.substr(begin, end - begin), index_->where);
}

boost::json::array RowsReader::block(const Column& column, std::uint64_t number) const {
  json::Value cells = json::parse(text(column, number), index_->where);
  const std::uint64_t wanted = std::min(kBlock, index_->size - number * kBlock);
  if (!cells.is_array() || cells.get_array().size() != wanted) {
    refuse_file(index_->where,
                fmt::format("its column '{}' has another number of rows", printable(column.name)));
  }
  return std::move(cells.get_array());
}

boost::json::array RowsReader::cells(const Column& column, std::uint64_t first,
                                     std::uint64_t count) const {
  boost::json::array found;
  first = std::min(first, index_->size);
  const std::uint64_t last = first + std::min(count, index_->size - first);
  if (first == last) return found;
  for (std::uint64_t number = first / kBlock; number * kBlock < last; ++number) {
    const std::uint64_t before = number * kBlock;
    const std::uint64_t in_block = std::min(kBlock, index_->size - before);
    const Part part{.begin = std::max(first, before) - before,
                    .end = std::min(last - before, in_block),
                    .of = in_block};
    boost::json::array cells = part.end - part.begin == part.of
                                   ? block(column, number)
                                   : part_of(text(column, number), part, index_->where);
    for (json::Value& cell : cells) found.push_back(std::move(cell));
  }
  return found;
}

boost::json::array RowsReader::column(std::string_view name, std::uint64_t first,
                                      std::uint64_t count) const {
  const auto found = std::ranges::find(index_->columns, name, &Column::name);
  if (found != index_->columns.end()) return cells(*found, first, count);
  const std::string inside = std::string(name) + '.';
  const auto path_inside = [&](const Column& column) {
    const std::string_view path = column.name;
    return path.starts_with(inside) ? path.substr(inside.size()) : std::string_view();
  };
  if (std::ranges::all_of(index_->columns, &std::string_view::empty, path_inside)) {
    throw Error(Errc::not_found,
                fmt::format("{}: has no column '{}'", index_->where, printable(name)));
  }
  return rows_of(path_inside, first, count);
}

boost::json::array RowsReader::rows(std::uint64_t first, std::uint64_t count) const {
  return rows_of([](const Column& column) { return std::string_view(column.name); }, first, count);
}

boost::json::array RowsReader::rows_of(
    const std::function<std::string_view(const Column&)>& path_of, std::uint64_t first,
    std::uint64_t count) const {
  boost::json::array found;
  for (const Column& column : index_->columns) {
    const std::string_view path = path_of(column);
    if (path.empty()) continue;
    boost::json::array values = cells(column, first, count);
    if (found.empty()) {
      found.resize(values.size());
      for (json::Value& row : found) row.emplace_object().reserve(index_->columns.size());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      member_at(found[i].get_object(), path) = std::move(values[i]);
    }
  }
  return found;
}

SplitRecord split_rows(json::Value record) {
  SplitRecord split{.head = std::move(record), .lists = {}};
  take_lists(split.head, {}, split.lists);
  return split;
}

json::Value join_rows(json::Value head,
                      const std::function<MappedFile(std::string_view path)>& open,
                      std::string_view where) {
  for_each_elsewhere(head, {}, [&](const Elsewhere& list) {
    const MappedFile file = open(list.path);
    const RowsReader reader = sound_rows(file, list, where);
    list.value = reader.rows(0, reader.size());
  });
  return head;
}

void check_rows(const json::Value& head,
                const std::function<MappedFile(std::string_view path)>& open,
                std::string_view where) {
  json::Value copy = head;  // a few words: what is long stands elsewhere
  for_each_elsewhere(copy, {}, [&](const Elsewhere& list) {
    const MappedFile file = open(list.path);
    sound_rows(file, list, where);
  });
}

std::string rows_file(std::string_view record_file, std::string_view path) {
  return fmt::format("{}.{}.rows", record_file.substr(0, record_file.rfind('.')), path);
}

}  // namespace quantlens
