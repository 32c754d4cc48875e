// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/rows.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/base/json_line.h"
#include "quantlens/record/files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Rows of a diagnosis that differ from each other.
Diagnosis diagnosis_of(std::size_t rows) {
  Diagnosis diagnosis;
  for (std::size_t i = 0; i < rows; ++i) {
    ActivationRow& row = diagnosis.activations.emplace_back();
    row.op = {.id = "op\n\"" + std::to_string(i), .name = "op"};
    row.sqnr_db =
        i % 7 == 0 ? std::numeric_limits<double>::infinity() : 0.1 * static_cast<double>(i);
    if (i % 3 == 0) row.rank = i;
    row.worst_samples.assign(i % 4, {.sample = i, .name = "s", .share = 0.25});
  }
  diagnosis.conclusions = {said_in_words("words")};
  return diagnosis;
}

SplitRecord split_of(std::size_t rows) {
  return split_rows(to_value(diagnosis_of(rows)));
}

json::Value joined(const SplitRecord& split) {
  const auto open = [&](std::string_view path) {
    for (const SplitRecord::List& list : split.lists) {
      if (list.path == path) return MappedFile::from_bytes(list.bytes);
    }
    throw Error(Errc::not_found, "no such list");
  };
  return join_rows(split.head, open, "diagnosis.json");
}

template <class F>
std::string rows_refusal(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
    return error.what();
  }
  return "nothing was refused";
}

/// The same rows as layouts before 9 had them: each block a line of JSON.
std::string as_before_layout_9(std::string_view bytes) {
  const RowsIndex index = RowsIndex::read(bytes, "x.rows");
  std::string lines;
  boost::json::object columns;
  for (const RowsIndex::Column& column : index.columns) {
    boost::json::array begins;
    for (const auto& [begin, end] : column.blocks) {
      begins.push_back(lines.size());
      lines += gunzip(bytes.substr(begin, end - begin), "x.rows") + "\n";
    }
    columns[column.name] = std::move(begins);
  }
  const std::size_t begin = lines.size();
  lines += json::line({{"rows", index.size}, {"block", 256}, {"stamp", "x"}, {"columns", columns}});
  return lines + fmt::format("\n{:>20}\n", begin);
}

TEST(SplitRows, LeavesShortListsWhereTheyAre) {
  const SplitRecord split = split_of(kRowsInRecord);
  EXPECT_TRUE(split.lists.empty());
  EXPECT_EQ(split.head, to_value(diagnosis_of(kRowsInRecord)));
}

TEST(SplitRows, JoinedAgainTheRecordIsAsItWas) {
  for (const std::size_t rows : {kRowsInRecord + 1, std::size_t{1024}, std::size_t{2500}}) {
    const SplitRecord split = split_of(rows);
    ASSERT_EQ(split.lists.size(), 1U);
    EXPECT_EQ(split.lists[0].path, "activations");
    EXPECT_EQ(split.head.at("conclusions").at(0).at("says"), "words");
    EXPECT_EQ(split.head.at("activations").at("rows"), rows);
    EXPECT_EQ(joined(split), to_value(diagnosis_of(rows)));
  }
}

TEST(SplitRows, NamesNoFileByWhatAUserNamed) {
  boost::json::array rows(kRowsInRecord + 1, json::Value{{"a", 1}});
  const json::Value record{{"../x", rows}, {"map", {{"a/b", rows}}}};
  const SplitRecord split = split_rows(record);
  EXPECT_TRUE(split.lists.empty());
  EXPECT_EQ(split.head, record);
}

TEST(SplitRows, GoesIntoStructsAndLeavesListsOfOtherThings) {
  boost::json::array rows(kRowsInRecord + 1, json::Value{{"a", 1}, {"b", "x"}});
  boost::json::array uneven = rows;
  uneven.back().as_object().erase("b");
  const json::Value record{{"inner", {{"nodes", rows}}},
                           {"names", boost::json::array(2000, json::Value("n"))},
                           {"uneven", uneven}};
  const SplitRecord split = split_rows(record);
  ASSERT_EQ(split.lists.size(), 1U);
  EXPECT_EQ(split.lists[0].path, "inner.nodes");
  EXPECT_EQ(rows_file("profile.json", split.lists[0].path), "profile.inner.nodes.rows");
  EXPECT_EQ(joined(split), record);
}

/// Rows whose members are objects: of the same keys in all, of others, of none, of odd names.
boost::json::array rows_with_objects(std::size_t count) {
  boost::json::array rows;
  for (std::size_t i = 0; i < count; ++i) {
    const json::Value inner{{"id", i}, {"deep", {{"x", i + 1}, {"y", nullptr}}}};
    rows.push_back({{"op", inner},
                    {"none", boost::json::object()},
                    {"at_times", i == 7 ? json::Value() : inner},
                    {"other", {{i % 2 == 0 ? "even" : "odd", i}}},
                    {"odd", {{"a.b", i}}},
                    {"list", {inner}}});
  }
  return rows;
}

TEST(SplitRows, HaveAColumnForEachMemberOfAnObject) {
  const json::Value record{{"rows", rows_with_objects(1500)}};
  const SplitRecord split = split_rows(record);
  ASSERT_EQ(split.lists.size(), 1U);
  EXPECT_EQ(joined(split), record);
  const RowsReader reader(split.lists[0].bytes, "x.rows");
  EXPECT_THAT(reader.columns(), ElementsAre("op.id", "op.deep.x", "op.deep.y", "none", "at_times",
                                            "other", "odd", "list"));
  EXPECT_EQ(reader.column("op.deep.x", 1400, 2), (boost::json::array{1401, 1402}));
  EXPECT_EQ(reader.column("op.deep", 3, 1).at(0), (json::Value{{"x", 4}, {"y", nullptr}}));
  EXPECT_EQ(reader.rows(1499, 1).at(0), rows_with_objects(1500).at(1499));
}

TEST(SplitRows, LeavesRowsWhoseMembersLookLikePaths) {
  for (const char* key : {"a.b", ""}) {
    const json::Value record{
        {"rows", boost::json::array(kRowsInRecord + 1, json::Value{{key, 1}})}};
    EXPECT_TRUE(split_rows(record).lists.empty());
  }
}

TEST(RowsReader, ReadsAPageAndAColumn) {
  const SplitRecord split = split_of(2000);
  const RowsReader reader(split.lists.at(0).bytes, "x.rows");
  EXPECT_EQ(reader.size(), 2000U);
  EXPECT_EQ(reader.columns().front(), "op.id");
  EXPECT_EQ(reader.columns()[1], "op.name");
  const json::Value whole = to_value(diagnosis_of(2000));
  const boost::json::array& rows = whole.at("activations").as_array();
  for (const std::uint64_t first : {0U, 100U, 250U, 256U, 1990U}) {
    const boost::json::array page = reader.rows(first, 20);
    ASSERT_EQ(page.size(), std::min<std::uint64_t>(20, 2000 - first));
    for (std::size_t i = 0; i < page.size(); ++i) EXPECT_EQ(page[i], rows[first + i]);
  }
  EXPECT_EQ(reader.column("rank", 1, 3), (boost::json::array{nullptr, nullptr, 3}));
  EXPECT_EQ(reader.column("op.id", 300, 2), (boost::json::array{"op\n\"300", "op\n\"301"}));
  EXPECT_EQ(reader.column("op", 300, 1).at(0), rows[300].at("op")) << "put together";
  EXPECT_THAT(reader.rows(2000, 5), ElementsAre());
  EXPECT_THAT(reader.rows(~std::uint64_t{0}, ~std::uint64_t{0}), ElementsAre());
  EXPECT_EQ(reader.rows(1999, ~std::uint64_t{0}).size(), 1U);
  EXPECT_THROW(reader.column("nothing", 0, 1), Error);
  EXPECT_THROW(reader.column("op.", 0, 1), Error);
  EXPECT_THROW(reader.column("o", 0, 1), Error);
}

TEST(RowsReader, ReadsRowsOfEarlierLayouts) {
  const std::string bytes = split_of(2000).lists.at(0).bytes;
  const std::string earlier = as_before_layout_9(bytes);
  EXPECT_LT(bytes.size(), earlier.size() / 2);
  const RowsReader reader(earlier, "x.rows");
  EXPECT_EQ(reader.columns(), RowsReader(bytes, "x.rows").columns());
  EXPECT_EQ(reader.rows(0, 2000), RowsReader(bytes, "x.rows").rows(0, 2000));
  EXPECT_EQ(reader.rows(300, 7), RowsReader(bytes, "x.rows").rows(300, 7));
}

TEST(RowsReader, TouchesOnlyWhatIsAskedFor) {
  SplitRecord split = split_of(2000);
  std::string& bytes = split.lists.at(0).bytes;
  const auto second = RowsIndex::read(bytes, "x.rows").columns.at(0).blocks.at(1);
  bytes[second.begin] = '!';  // rows 256 to 511 of the first column
  const RowsReader reader(bytes, "x.rows");
  EXPECT_EQ(reader.rows(0, 256).size(), 256U);
  EXPECT_THAT(rows_refusal([&] { reader.rows(256, 1); }), HasSubstr("x.rows"));
}

TEST(RowsReader, ReadsNoOtherCellsOfABlock) {
  boost::json::array rows;
  for (std::size_t i = 0; i < 1500; ++i) {
    const json::Value inner{{"a,]\"", boost::json::array{i, "[,\\"}}, {"none", nullptr}};
    rows.push_back({{"text", i % 2 == 0 ? "a\\\",[" : "\\"}, {"mixed", i % 3 == 0 ? inner : i}});
  }
  const SplitRecord split = split_rows({{"rows", rows}});
  const std::string bytes = as_before_layout_9(split.lists.at(0).bytes);
  const RowsReader reader(split.lists.at(0).bytes, "x.rows");
  for (const char* column : {"text", "mixed"}) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(reader.column(column, i, 1).at(0), rows[i].at(column)) << column << i;
    EXPECT_EQ(reader.column(column, 200, 700).at(699), rows[899].at(column));
  }
  const auto refused = [&](std::string_view text, std::string_view other) {
    std::string damaged = bytes;
    damaged.replace(damaged.find(text), text.size(), other);
    const RowsReader other_reader(damaged, "x.rows");
    return rows_refusal([&] { other_reader.column("mixed", 3, 1); });
  };
  EXPECT_THAT(refused("},4,5,", "},4, 5"), HasSubstr("another number of rows"));
  EXPECT_THAT(refused("},4,5,", "},4,,,"), HasSubstr("another number of rows"));
  EXPECT_THAT(refused("},4,5,", "},4]5,"), HasSubstr("x.rows"));
  EXPECT_THAT(refused(":null},4,", ":nul!},4,"), HasSubstr("x.rows"));
}

TEST(RowsReader, RefusesWhatIsDamaged) {
  const std::string whole = split_of(1500).lists.at(0).bytes;
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_THAT(
        rows_refusal([&] { RowsReader(std::string_view(whole).substr(0, length), "x.rows"); }),
        HasSubstr("x.rows: "))
        << length;
  }
  const auto with = [&](std::string_view text, std::string_view other) {
    std::string bytes = whole;
    const std::size_t at = bytes.rfind(text);
    EXPECT_NE(at, std::string::npos);
    bytes.replace(at, text.size(), other);
    return rows_refusal([&] {
      const RowsReader reader(bytes, "x.rows");
      reader.rows(0, reader.size());
    });
  };
  EXPECT_THAT(with("\"rows\":1500", "\"rows\":1400"), HasSubstr("another number of rows"));
  EXPECT_THAT(with("\"rows\":1500", "\"rows\":9e15"), HasSubstr("no such numbers"));
  EXPECT_THAT(with("\"rows\":1500", "\"rows\":18446744073709551615"),
              HasSubstr("another number of rows"));
  EXPECT_THAT(with("\"block\":256", "\"block\":000"), HasSubstr("x.rows"));
  EXPECT_THAT(with("\"coding\":\"gzip\"", "\"coding\":\"rope\""), HasSubstr("of another form"));
  EXPECT_THAT(with("\"op.id\":[0,", "\"op.id\":[9,"), HasSubstr("x.rows"));
  EXPECT_THAT(with("\"op.id\":[0,", "\"op.id\":[9999999,"), HasSubstr("x.rows"));
}

TEST(RowsReader, TakesAnIndexThatWasReadBeforeForItsOwnFileAlone) {
  const std::string bytes = split_of(2000).lists.front().bytes;
  const auto index = std::make_shared<const RowsIndex>(RowsIndex::read(bytes, "a.rows"));
  EXPECT_EQ(RowsReader(bytes, index).rows(700, 3), RowsReader(bytes, "a.rows").rows(700, 3));
  for (const std::size_t rows : {1500, 2001, 3000}) {
    const std::string other = split_of(rows).lists.front().bytes;
    EXPECT_THAT(rows_refusal([&] { RowsReader(other, index); }), HasSubstr("a.rows: it has"));
  }
  for (std::size_t size = 0; size < bytes.size(); size += 501)
    EXPECT_NE(rows_refusal([&] { RowsReader(bytes.substr(0, size), index); }),
              "nothing was refused");
}

TEST(RowsReader, RefusesColumnsThatNoRecordHas) {
  const std::string whole = split_of(1500).lists.at(0).bytes;
  std::string deep = "a";
  for (int depth = 0; depth < 100; ++depth) deep += ".a";
  for (const std::string& name : {std::string(), std::string(".id"), std::string("op."),
                                  std::string("op..id"), std::string("."), deep}) {
    std::string bytes = whole;
    const std::size_t at = bytes.rfind("\"op.id\"");
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at + 1, 5, name);
    EXPECT_THAT(rows_refusal([&] { RowsReader(bytes, "x.rows"); }), HasSubstr("of another form"))
        << name;
  }
}

TEST(RowsReader, ReadsNoBlockTwice) {
  std::string bytes = split_of(1500).lists.at(0).bytes;
  const std::size_t at = bytes.rfind("\"op.id\":[0,") + 11;
  const std::size_t end = bytes.find(',', at);
  bytes.replace(at, end - at, std::string(end - at, ' ').replace(end - at - 1, 1, "0"));
  EXPECT_THAT(rows_refusal([&] { RowsReader(bytes, "x.rows"); }), HasSubstr("not in order"));
}

TEST(JoinRows, RefusesRowsThatHaveChanged) {
  SplitRecord split = split_of(1500);
  std::string& bytes = split.lists[0].bytes;
  const std::size_t digit = bytes.find_first_of("123456789");
  ASSERT_NE(digit, std::string::npos);
  bytes[digit] = bytes[digit] == '1' ? '2' : '1';
  EXPECT_THAT(rows_refusal([&] { joined(split); }),
              HasSubstr("diagnosis.activations.rows: its rows are not"));
}

TEST(JoinRows, RefusesTheListOfAnotherRecord) {
  SplitRecord split = split_of(1500);
  split.lists[0].bytes = split_of(1501).lists.at(0).bytes;
  EXPECT_THAT(rows_refusal([&] { joined(split); }),
              HasSubstr("diagnosis.activations.rows: it is not"));
}

}  // namespace
}  // namespace quantlens
