// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/table.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Table squeezenet() {
  return {.title = "Activations summary",
          .columns = {{"OP name"}, {"MSE"}, {"Activation min"}, {"Activation max"}},
          .rows = {{"fire9/expand3x3/WithoutBiases", 0.000330351217060673, -2222.291015625,
                    1081.5616455078125},
                   {"fire9/squeeze1x1/WithoutBiases", 0.00011582670695319467, -1021.7423706054688,
                    1841.8060302734375},
                   {"pool10/reduce", 0.0001857038030819017, 0.09550546109676361, 64.13728332519531},
                   {"conv1/WithoutBiases", 2.428680600463896e-06, -819.4488525390625,
                    861.001708984375}}};
}

// Neural Compressor 2.4.1 printed these lines.
TEST(ToText, LooksAsThePredecessorsTablesDid) {
  EXPECT_EQ(to_text(squeezenet(), {}),
            "+--------------------------------------------------------------------------------+\n"
            "|                              Activations summary                               |\n"
            "+--------------------------------+-------------+----------------+----------------+\n"
            "|            OP name             |     MSE     | Activation min | Activation max |\n"
            "+--------------------------------+-------------+----------------+----------------+\n"
            "| fire9/expand3x3/WithoutBiases  |   0.00033   |  -2222.29102   |   1081.56165   |\n"
            "| fire9/squeeze1x1/WithoutBiases |   0.00012   |  -1021.74237   |   1841.80603   |\n"
            "|         pool10/reduce          |   0.00019   |    0.09551     |    64.13728    |\n"
            "|      conv1/WithoutBiases       | 2.42868e-06 |   -819.44885   |   861.00171    |\n"
            "+--------------------------------+-------------+----------------+----------------+\n");
}

TEST(ToText, ShowsAnEstimateWithItsReachRoundedUp) {
  const Table table{.title = "",
                    .columns = {{"Figure"}, {"Place"}},
                    .rows = {{Estimate{31.249, {31.12, 31.35}}, Rank{1, true}},
                             {Estimate{-0.04, {-2.51, 0.46}}, Rank{2, false}}}};
  EXPECT_EQ(to_text(table, {}),
            "+-----------+-------+\n"
            "|   Figure  | Place |\n"
            "+-----------+-------+\n"
            "| 31.2 \u00B10.2 |   1=  |\n"
            "|  0.0 \u00B12.5 |   2   |\n"
            "+-----------+-------+\n");
  EXPECT_EQ(to_csv(table), "Figure,Place\r\n31.249,1\r\n-0.04,2\r\n");
  EXPECT_THAT(to_markdown(table), HasSubstr("| ---: | ---: |\n| 31.2 \u00B10.2 | 1= |\n"));
}

TEST(ToText, PutsStarsOverStatisticsAsThePredecessorsDid) {
  const Table table{.title = "Mixed Precision Statistics",
                    .columns = {{"Op Type"}, {"Total"}, {"INT8"}, {"FP32"}},
                    .rows = {{"Conv", 26, 26, 0}, {"GlobalAveragePool", 1, 1, 0}},
                    .title_form = TitleForm::stars};
  EXPECT_EQ(to_text(table, {}),
            "|********Mixed Precision Statistics*******|\n"
            "+-------------------+-------+------+------+\n"
            "|      Op Type      | Total | INT8 | FP32 |\n"
            "+-------------------+-------+------+------+\n"
            "|        Conv       |   26  |  26  |  0   |\n"
            "| GlobalAveragePool |   1   |  1   |  0   |\n"
            "+-------------------+-------+------+------+\n");
}

TEST(ToText, SaysHowManyRowsAreHiddenAndHowToSeeThem) {
  const std::string text = to_text(squeezenet(), {.rows = 2, .how_to_see_all = "--all"});
  EXPECT_THAT(text, Not(HasSubstr("pool10")));
  EXPECT_THAT(text, EndsWith("+\nShowing 2 of 4 rows. To see all: --all\n"));
}

TEST(ToText, ShowsEveryRowWhereTheLimitIsZero) {
  Table table{.title = "", .columns = {{"n"}}, .rows = {}};
  for (std::int64_t i = 0; i < 50; ++i) table.rows.push_back({i});
  EXPECT_THAT(to_text(table, {.rows = 0}), HasSubstr("| 49 |"));
}

TEST(ToText, DropsTheLastColumnsThatDoNotFitAndNamesThem) {
  Table table = squeezenet();
  table.columns.push_back({"Cosine"});
  table.columns.push_back({"Pattern"});
  for (auto& row : table.rows) {
    row.emplace_back(0.5);
    row.emplace_back("Conv Relu");
  }
  EXPECT_THAT(to_text(table, {.width = 91, .rows = 20, .how_to_see_all = "--wide"}),
              EndsWith("+\nNot shown for lack of width: Pattern. To see all: --wide\n"));
  EXPECT_THAT(to_text(table, {.width = 82, .rows = 20, .how_to_see_all = ""}),
              EndsWith("+\nNot shown for lack of width: Cosine, Pattern.\n"));
  EXPECT_THAT(to_text(table, {.width = 0}), Not(HasSubstr("Not shown")));
}

TEST(ToText, ShortensNamesOnlyWhereTheFirstFourColumnsWouldNotFit) {
  EXPECT_THAT(to_text(squeezenet(), {.width = 82}),
              HasSubstr("| fire9/squeeze1x1/WithoutBiases |"));
  EXPECT_THAT(to_text(squeezenet(), {.width = 70}),
              HasSubstr("| fire9/sq\u2026outBiases |   0.00012   |"));
}

TEST(ToText, BreaksSentencesToKeepTheirColumn) {
  const std::string message = "net.onnx: no such file; check the path or give another model";
  const Table table{.title = "",
                    .columns = {{"Id"}, {"Verb"}, {"Name"}, {"State"}, {"Message"}},
                    .rows = {{"20261121-113045-tune-net-3f2a", "tune", "net", "failure", message},
                             {"20261121-113044-tune-net-01ab", "tune", "net", "success", ""}}};
  EXPECT_EQ(
      to_text(table, {.width = 90}),
      "+-------------------------------+------+------+---------+--------------------------------+\n"
      "|               Id              | Verb | Name |  State  |            Message             |\n"
      "+-------------------------------+------+------+---------+--------------------------------+\n"
      "| 20261121-113045-tune-net-3f2a | tune | net  | failure | net.onnx: no such file; check  |\n"
      "|                               |      |      |         | the path or give another model |\n"
      "| 20261121-113044-tune-net-01ab | tune | net  | success |                                |\n"
      "+-------------------------------+------+------+---------+--------------------------------+"
      "\n");
}

TEST(ToText, ReplacesWhatATerminalWouldObey) {
  const Table table{.title = "t\x1b[2J", .columns = {{"name"}}, .rows = {{"a\x1b[31m\nb\xff"}}};
  const std::string text = to_text(table, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("| a?[31m?b? |"));
}

TEST(ToText, CountsWideAndCombiningCharactersAsATerminalDoes) {
  const Table table{
      .title = "", .columns = {{"name"}}, .rows = {{"\u6f22\u5b57/conv"}, {"cafe\u0301/conv"}}};
  EXPECT_EQ(to_text(table, {}),
            "+-----------+\n"
            "|    name   |\n"
            "+-----------+\n"
            "| \u6f22\u5b57/conv |\n"
            "| cafe\u0301/conv |\n"
            "+-----------+\n");
}

TEST(ToText, WidensForATitleLongerThanItsColumns) {
  const Table table{.title = "A long title", .columns = {{"n"}}, .rows = {{1}}};
  EXPECT_EQ(to_text(table, {}),
            "+--------------+\n"
            "| A long title |\n"
            "+--------------+\n"
            "|      n       |\n"
            "+--------------+\n"
            "|      1       |\n"
            "+--------------+\n");
}

TEST(ToText, OfNoRowsIsAHeader) {
  const Table table{.title = "", .columns = {{"n"}}, .rows = {}};
  EXPECT_EQ(to_text(table, {}), "+---+\n| n |\n+---+\n");
}

RC_GTEST_PROP(ToText, IsNeverWiderThanItsWidth, (std::vector<std::string> names, bool stars)) {
  const std::size_t width = *rc::gen::inRange<std::size_t>(5, 60);
  Table table = squeezenet();
  table.title_form = stars ? TitleForm::stars : TitleForm::row;
  for (const std::string& name : names) {
    table.rows.push_back({name + "/and/a/rather/long/name", 1.0, 2.0, -3e300});
    table.columns[1].title = name;
  }
  const std::string text =
      to_text(table, {.width = width, .rows = 3, .how_to_see_all = "--a-long-option or a file"});
  for (const std::string& line : lines_of(text)) RC_ASSERT(display_width(line) <= width);
}

TEST(ToCsv, KeepsEveryDigitAndEveryColumn) {
  Table table = squeezenet();
  table.columns[3].only_in_files = true;
  table.rows.resize(1);
  EXPECT_EQ(to_csv(table),
            "OP name,MSE,Activation min,Activation max\r\n"
            "fire9/expand3x3/WithoutBiases,0.000330351217060673,-2222.291015625,"
            "1081.5616455078125\r\n");
}

TEST(ToCsv, QuotesWhatRfc4180Demands) {
  const Table table{.title = "", .columns = {{"a"}, {"b"}}, .rows = {{"x,y", "say \"hi\""}}};
  EXPECT_EQ(to_csv(table), "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n");
}

TEST(ToCsv, QuotesTextThatASpreadsheetWouldRun) {
  const Table table{.title = "", .columns = {{"a"}, {"b"}}, .rows = {{"=1+1", -2.5}}};
  EXPECT_EQ(to_csv(table), "a,b\r\n\"=1+1\",-2.5\r\n");
}

TEST(ToCsv, HasOneLineARowWhateverTheNames) {
  const Table table{.title = "", .columns = {{"a"}}, .rows = {{"x\r\ny"}, {std::string()}}};
  EXPECT_EQ(to_csv(table), "a\r\nx??y\r\n\r\n");
}

TEST(ToText, DropsColumnsToKeepLast) {
  Table table = squeezenet();
  table.columns.back().keep = true;
  const std::string text = to_text(table, {.width = 56, .rows = 1, .how_to_see_all = ""});
  EXPECT_THAT(text, HasSubstr(table.columns.back().title));
  EXPECT_THAT(text, HasSubstr("width:\n" + table.columns[2].title));
}

TEST(ToMarkdown, AlignsNumbersAndLeavesOutWhatIsOnlyInFiles) {
  Table table = squeezenet();
  table.columns[3].only_in_files = true;
  table.rows.resize(1);
  EXPECT_EQ(to_markdown(table),
            "**Activations summary**\n\n"
            "| OP name | MSE | Activation min |\n"
            "| --- | ---: | ---: |\n"
            "| fire9/expand3x3/WithoutBiases | 0.00033 | -2222.29102 |\n");
}

TEST(ToMarkdown, ShowsNamesAsTheyStand) {
  const Table table{.title = "", .columns = {{"n"}}, .rows = {{"a|b*c* conv_1 __x__ <img>"}}};
  EXPECT_THAT(to_markdown(table), EndsWith("| a\\|b\\*c\\* conv_1 \\_\\_x\\_\\_ \\<img\\> |\n"));
}

TEST(ToMarkdown, SaysHowToSeeTheRowsItHides) {
  Table two = squeezenet();
  two.rows.resize(2);
  EXPECT_THAT(to_markdown(two, 1, "--all shows all rows"),
              EndsWith("|\n\n1 more row is not shown; --all shows all rows.\n"));
}

TEST(ToMarkdown, MentionsNobody) {
  const Table table{.title = "", .columns = {{"n"}}, .rows = {{"@me $x$ http://a.example"}}};
  EXPECT_THAT(to_markdown(table), EndsWith("| @<!-- -->me \\$x\\$ http:<!-- -->//a.example |\n"));
}

TEST(ToMarkdown, CountsTheRowsItHides) {
  EXPECT_THAT(to_markdown(squeezenet(), 1), EndsWith("\n3 more rows are not shown.\n"));
}

}  // namespace
}  // namespace quantlens
