// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/gzip.h"
#include "quantlens/record/indexed_lines.h"

namespace quantlens {
namespace {

/// Nothing where there is no such file.
std::optional<MappedFile> find_as_stored(const Store& store, const fs::path& path) {
  try {
    return store.read(path);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    const std::string_view said = error.what();
    const std::size_t next = said.rfind("; name a");  // most often nobody named this one
    if (next == std::string_view::npos) throw;
    throw Error(error.code(), fmt::format("{}; run the command again, or {}", said.substr(0, next),
                                          said.substr(next + 2)));
  }
}

/// What stands at "reference.nodes", or in a row at "op.id"; null where nothing does.
const json::Value* member_at(const json::Value& record, std::string_view path) {
  const json::Value* value = &record;
  while (value != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const auto* object = value->if_object();
    value = object != nullptr ? object->if_contains(path.substr(0, dot)) : nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

fs::path beside(const fs::path& record, std::string_view list) {
  return record.parent_path() / rows_file(record.filename().string(), list);
}

/// A record's JSON as its files have it, and whether lists of channels came from another one.
struct ParsedRecord {
  json::Value value;
  bool has_channels = false;
};

/// `file`: of the record at `path`.
ParsedRecord parsed(const Store& store, const fs::path& path, const MappedFile& file) {
  ParsedRecord record{.value = json::parse(file.text(), printable(path.string()))};
  const fs::path beside = path.parent_path() / kChannels;
  const std::string where = printable(beside.string());
  std::optional<MappedFile> channels;
  std::optional<ChannelListsReader> lists;
  std::size_t put = 0;
  record.has_channels = put_channel_lists(record.value, [&](std::string_view stamp) {
    if (!lists) {
      channels = find_file(store, beside);
      if (!channels) refuse_file(where, "is missing");
      lists.emplace(channels->text(), where);
    }
    std::string text = lists->find(stamp);
    put += text.size();
    if (!may_be_unpacked(file.text().size() + channels->text().size(), put))
      refuse_file(where, "more is to be read of it than it holds");
    return text;
  });
  return record;
}

using OpenList = std::function<MappedFile(std::string_view list)>;

/// What `join` makes of a record's JSON and the files of its lists, which another process may write
/// anew meanwhile.
template <class Join>
std::optional<json::Value> read_whole(const Store& store, const fs::path& path, const Join& join) {
  constexpr int kTries = 3;  // a record and its lists may be replaced between two reads
  const std::string where = printable(path.string());
  const OpenList open = [&](std::string_view list) {
    std::optional<MappedFile> file = find_file(store, beside(path, list));
    if (file) return *std::move(file);
    throw Error(Errc::bad_input,
                fmt::format("{}: is missing; run the command again", rows_file(where, list)));
  };
  for (int tries = 1;; ++tries) {
    const std::optional<MappedFile> file = find_file(store, path);
    if (!file) return std::nullopt;
    try {
      return join(parsed(store, path, *file).value, open, where);
    } catch (const Error& error) {
      if (tries == kTries || error.code() != Errc::bad_input) throw;
    }
  }
}

}  // namespace

fs::path packed(const fs::path& record) {
  fs::path path = record;
  return path += kPackedEnding;
}

std::optional<MappedFile> find_file(const Store& store, const fs::path& path) {
  constexpr int kTries = 2;  // one form may take the other's place between two reads
  for (int tries = 0; tries < kTries; ++tries) {
    if (std::optional<MappedFile> file = find_as_stored(store, path)) return file;
    const fs::path other = packed(path);
    if (const std::optional<MappedFile> file = find_as_stored(store, other))
      return MappedFile::from_bytes(gunzip(file->text(), printable(other.string())));
  }
  return std::nullopt;
}

std::optional<json::Value> read_value(const Store& store, const fs::path& path) {
  return read_whole(store, path, join_rows);
}

void check_record(const Store& store, const fs::path& path) {
  read_whole(store, path, [](json::Value head, const OpenList& open, std::string_view where) {
    check_rows(head, open, where);
    return head;
  });
}

std::optional<json::Value> read_head(const Store& store, const fs::path& path) {
  const auto head_alone = [](json::Value head, const OpenList&, std::string_view) { return head; };
  return read_whole(store, path, head_alone);
}

std::optional<std::string> read_text(const Store& store, const fs::path& path) {
  const std::optional<MappedFile> file = find_file(store, path);
  if (!file) return std::nullopt;
  const ParsedRecord record = parsed(store, path, *file);
  return record.has_channels ? json::dump(record.value) : std::string(file->text());
}

std::optional<ListReader> ListReader::open(const Store& store, const fs::path& record,
                                           std::string_view list) {
  ListReader reader;
  reader.where_ = printable(record.string());
  const fs::path own = beside(record, list);
  if (std::optional<MappedFile> file = find_file(store, own)) {
    reader.file_ = *std::move(file);
    reader.reader_.emplace(reader.file_.text(), printable(own.string()));
    return reader;
  }
  const std::optional<json::Value> whole = read_value(store, record);
  const json::Value* held = whole ? member_at(*whole, list) : nullptr;
  if (held == nullptr || !held->is_array()) return std::nullopt;
  reader.held_ = held->get_array();
  return reader;
}

std::uint64_t ListReader::size() const {
  return reader_ ? reader_->size() : held_.size();
}

boost::json::array ListReader::rows(std::uint64_t first, std::uint64_t count) const {
  if (reader_) return reader_->rows(first, count);
  const std::uint64_t begin = std::min<std::uint64_t>(first, held_.size());
  const std::uint64_t rows = std::min<std::uint64_t>(count, held_.size() - begin);
  const auto* const from = held_.begin() + begin;
  return boost::json::array(from, from + rows);
}

boost::json::array ListReader::column(std::string_view name, std::uint64_t first,
                                      std::uint64_t count) const {
  if (reader_) return reader_->column(name, first, count);
  boost::json::array cells;
  for (const json::Value& row : rows(first, count)) {
    const json::Value* cell = member_at(row, name);
    if (cell == nullptr) {
      throw Error(Errc::not_found, fmt::format("{}: has no column '{}'", where_, printable(name)));
    }
    cells.push_back(*cell);
  }
  return cells;
}

std::vector<ProgressEvent> WorkloadReader::events() const {
  const fs::path path = folder_ / kEvents;
  const std::optional<MappedFile> file = find_file(store_, path);
  if (!file) return {};
  return events_of_lines(file->text(), printable(path.string()));
}

}  // namespace quantlens
