// SPDX-License-Identifier: Apache-2.0
#include "server/api/record_routes.h"

#include <algorithm>
#include <iterator>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/record_table.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kMostRecordBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kUsualRows = 100, kMostTableRows = 100'000, kFarthestRow = 1'000'000'000;
constexpr std::uint64_t kMostCells = 1'000'000;
constexpr std::uint64_t kMostDigits = 17;
constexpr std::size_t kMostNamed = 200;

/// Some columns of some rows.
struct TablePage {
  std::uint64_t rows = 0;  ///< of the whole list
  std::uint64_t offset = 0;
  std::uint64_t count = 0;                                  ///< of rows that follow
  std::map<std::string, std::vector<json::Value>> columns;  ///< cells by name
};
BOOST_DESCRIBE_STRUCT(TablePage, (), (rows, offset, count, columns))

/// "diagnosis.activations"
struct ListName {
  std::string_view record, list;
};

ListName list_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  const std::size_t dot = text.find('.');
  const bool is_one = dot != std::string_view::npos && dot + 1 < text.size() &&
                      text.find_first_not_of(kAllowed) == std::string_view::npos &&
                      text.find("..") == std::string_view::npos;
  if (!is_one) {
    throw Error(
        Errc::not_found,
        fmt::format("'{}' names no list of a record, as diagnosis.activations does.", shown(text)));
  }
  return {text.substr(0, dot), text.substr(dot + 1)};
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Those that are asked for and, where none is, all that hold no lists and objects.
std::vector<std::string> chosen_columns(const Call& call, const ListName& name,
                                        const TableReader& table) {
  const std::vector<std::string> there = table.columns();
  const auto is_there = [&](const std::string& column) {
    return std::ranges::any_of(there, [&](const std::string& one) {
      return one == column || one.starts_with(column + ".");
    });
  };
  const auto asked = call.arguments.text("columns");
  std::vector<std::string> columns = asked ? split(*asked) : scalar_columns(name.record, name.list);
  if (!asked) {
    std::erase_if(columns, [&](const std::string& column) { return !is_there(column); });
    return columns;
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  for (const std::string& column : columns) {
    if (is_there(column) || table.size() == 0) continue;
    const std::string hint = did_you_mean(column.substr(0, kMostNamed), there);
    throw Error(
        Errc::usage,
        fmt::format("{}.{} has no column '{}'; {}", name.record, name.list, shown(column),
                    hint.empty() ? fmt::format("it has {}", fmt::join(there, ", ")) : hint));
  }
  return columns;
}

/// The cells of one column at a time: what it takes of memory is this and the text.
void append_cells(const boost::json::array& cells, std::uint64_t digits, std::string& text) {
  text += '[';
  bool is_first = true;
  for (const json::Value& cell : cells) {
    if (!is_first) text += ',';
    is_first = false;
    const double* real = cell.if_double();
    if (real == nullptr) {
      text += boost::json::serialize(cell);
    } else if (digits > 0) {
      fmt::format_to(std::back_inserter(text), "{:.{}g}", *real, digits);
    } else {
      fmt::format_to(std::back_inserter(text), "{}", *real);
    }
  }
  text += ']';
}

std::string page_text(const Context& context, const fs::path& file, const ListName& name,
                      const Call& call) {
  const std::uint64_t offset = call.arguments.number("offset", 0, 0, kFarthestRow);
  const std::uint64_t limit = call.arguments.number("limit", kUsualRows, 0, kMostTableRows);
  const std::uint64_t digits = call.arguments.number("digits", 0, 1, kMostDigits);
  const TableReader table = TableReader::open(context.store, context.indexes, file, name.list);
  const std::vector<std::string> columns = chosen_columns(call, name, table);
  const std::uint64_t begin = std::min(offset, table.size());
  const std::uint64_t count = std::min(limit, table.size() - begin);
  if (count * columns.size() > kMostCells) {
    throw Error(Errc::usage, fmt::format("A page has at most {} cells; ask for fewer rows or "
                                         "columns.",
                                         kMostCells));
  }
  std::string text = fmt::format(R"({{"rows":{},"offset":{},"count":{},"columns":{{)", table.size(),
                                 offset, count);
  for (const std::string& column : columns) {
    if (text.back() != '{') text += ',';
    text += boost::json::serialize(boost::json::string(column)) + ":";
    append_cells(table.column(column, begin, count), digits, text);
  }
  return valid_utf8(text + "}}");
}

}  // namespace

Answer show_record(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const RecordKind& kind = json_record(call.in_path[1]);
  const fs::path file = run->folder / kind.file;
  Answer answer;
  answer.state = state_of(file);
  answer.make = [&context, &kind, file] {
    const std::optional<MappedFile> found = find_file(context.store, file);
    if (found && found->bytes().size() > kMostRecordBytes) {
      throw Error(Errc::unsupported,
                  fmt::format("{} is too large to be shown; read it in the folder.", kind.file));
    }
    std::optional<std::string> text =
        read_text(context.store, file);  // nobody is sent what is damaged
    if (!text) throw Error(Errc::not_found, fmt::format("The workload has no {}.", kind.file));
    return *std::move(text);
  };
  return answer;
}

Answer show_table(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const ListName name = list_name(call.in_path[1]);
  const fs::path file = run->folder / json_record(name.record).file;
  Answer answer;
  answer.state = state_of(TableReader::files(file, name.list));
  // `call` outlives the answer's making.
  answer.make = [&context, &call, file, name] { return page_text(context, file, name, call); };
  return answer;
}

json::Value table_schema(Schemas& schemas) {
  return schemas.of<TablePage>();
}

}  // namespace quantlens::server
