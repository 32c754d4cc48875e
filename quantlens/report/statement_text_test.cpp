// SPDX-License-Identifier: Apache-2.0
// Sentences of statements: what figures look like in them, and that no statement needs more than
// its record has.
#include "quantlens/report/statement_text.h"

#include <fstream>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/record/files.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string told(const std::string& says, std::map<std::string, Figure> figures = {}) {
  return text_of(Statements{{.says = says, .figures = std::move(figures)}});
}

TEST(StatementText, ShowsFiguresAsFarAsTheyAreTold) {
  EXPECT_EQ(told("clipped_range", {{"codes", figure::numbers({-1.0 / 3, 2.0 / 3})},
                                   {"values", figure::numbers({-4, 1234.5678})},
                                   {"clipped", figure::share(0.0349)},
                                   {"part", figure::share(0.876)}}),
            "its codes reach -0.333 to 0.667, its values -4 to 1.23e+03: 3.5 % of them are "
            "clipped, which makes 88 % of its own error");
  EXPECT_EQ(told("nonfinite.scale", {{"codes", figure::value("x_q")},
                                     {"scale", figure::number(kInfinite)},
                                     {"other_tensors", figure::count(2)}}),
            "its codes x_q have a scale of inf, so they mean no numbers; so do those of 2 other "
            "tensors. Ranges of infinities, NaN or nothing but 0 lead to such scales: quantize "
            "again without them, or leave the op in float");
  EXPECT_THAT(told("outlier_channel", {{"spread", figure::number(300)},
                                       {"codes_left", figure::number(0.85)},
                                       {"codes", figure::count(256)}}),
              HasSubstr("left with less than one of 256 codes"));
  EXPECT_EQ(told("float_islands", {{"types", figure::counts({{"Add", 2}, {"Erf", 1}})}}),
            "float ops between integer ones convert on both sides, which costs time: 2 Add, 1 Erf");
}

TEST(StatementText, TellsOfShiftedCodes) {
  const Statements told{{.says = "shifted_codes",
                         .figures = {{"zero_point", figure::number(-8)},
                                     {"usual_zero_point", figure::number(0)},
                                     {"usual_of", figure::count(11)},
                                     {"other_values", figure::count(12)},
                                     {"kind", figure::text("never negative")}}},
                        {.says = "shifted_codes.cut",
                         .figures = {{"codes", figure::numbers({-1.2, 37.05})},
                                     {"values", figure::numbers({0, 38.1})},
                                     {"cut", figure::number(7)},
                                     {"side", figure::text("above")},
                                     {"unused", figure::number(8)},
                                     {"usual_zero_point", figure::number(0)},
                                     {"usual_cut", figure::number(0)}}}};
  EXPECT_EQ(text_of(told),
            "the zero point of its codes is -8, that of 11 of the file's 12 other values which are "
            "never negative is 0: its codes reach from -1.2 to 37, its values from 0 to 38.1, so "
            "that 7 steps are cut off above them while 8 codes below them are never used; with "
            "zero point 0, 0 would be cut off");
}

TEST(StatementText, SaysWhoseShareItIs) {
  std::map<std::string, Figure> figures{{"measured", figure::share(0.654)},
                                        {"interval", figure::shares({0.47, 0.83})},
                                        {"op", figure::op("add")}};
  EXPECT_EQ(told("share.begins", figures),
            " 65 % (47 to 83, measured) of the error begins at add: ");
  figures["readers"] = figure::count(1);
  EXPECT_THAT(told("share.begins", figures), HasSubstr("at add and the op that reads it: "));
  figures["readers"] = figure::count(2);
  EXPECT_THAT(told("share.begins", figures), HasSubstr("at add and the 2 ops that read it: "));
  figures.erase("readers");
  figures["ops"] = figure::count(3);
  figures["types"] = figure::counts({{"MatMul", 2}, {"Add", 1}});
  figures["first_is"] = figure::text("greatest");
  EXPECT_THAT(told("share.begins", figures),
              HasSubstr("at 3 ops together (2 MatMul, 1 Add). Most of it, by estimate, at add: "));
  figures["first_is"] = figure::text("one");
  EXPECT_THAT(told("share.begins", figures), HasSubstr("(2 MatMul, 1 Add), among them add: "));
}

TEST(StatementText, SaysWhatFloatTakesAway) {
  std::map<std::string, Figure> figures{{"estimated", figure::share(-0.07)},
                                        {"interval", figure::shares({-0.59, 0.44})},
                                        {"op", figure::op("add")}};
  EXPECT_EQ(told("share.in_float", figures),
            " With add in float no gain can be told (-59 to 44 % of the error gone, estimated): ");
  figures["interval"] = figure::shares({-1, -0.42});
  EXPECT_EQ(told("share.in_float", figures),
            " None of the error is gone with add in float (-100 to -42 %, estimated): ");
  figures["estimated"] = figure::share(0.1);
  EXPECT_THAT(told("share.in_float", figures),
              HasSubstr(" 10 % (-100 to -42, estimated) of the error would be gone with add in"));
}

TEST(StatementText, SaysWhatIsLost) {
  const auto loss = [](double sqnr, const char* outputs) {
    return told("loss", {{"sqnr", figure::decibels(sqnr)}, {"outputs", figure::text(outputs)}});
  };
  EXPECT_EQ(loss(15, "all"), "The outputs keep 15.0 dB of SQNR: some of their signal is lost.");
  EXPECT_EQ(loss(2, "compared"),
            "The compared outputs keep 2.0 dB of SQNR: little of their signal is left.");
  EXPECT_EQ(loss(kInfinite, "all"), "The outputs are equal.");
  EXPECT_EQ(told("outputs_left_out", {{"outputs", figure::values({"a", "b", "c", "d"})},
                                      {"of_floats", figure::count(5)},
                                      {"of", figure::count(6)}}),
            " 4 of 5 outputs of floats were not compared: a, b, c, ….");
  EXPECT_EQ(told("loss.nonfinite", {{"part", figure::share(0.5)}}),
            "50 % of an output are NaN or infinities.");
}

TEST(StatementText, SaysWhatATrialTookAway) {
  const auto tried = [](double gain, double low, double high, std::uint64_t remedies) {
    return told("tried", {{"samples", figure::count(64)},
                          {"remedies", figure::count(remedies)},
                          {"op", figure::op("conv1")},
                          {"gain", figure::share(gain)},
                          {"interval", figure::shares({low, high})}});
  };
  EXPECT_EQ(tried(0.54, 0.37, 0.71, 1),
            " Tried over all 64 samples, the remedy at conv1 takes 54 % (37 to 71) of the error "
            "away.");
  EXPECT_EQ(tried(-0.2, -0.3, -0.1, 1),
            " Tried over all 64 samples, the remedy at conv1 takes nothing away: there is 20 % "
            "more error (10 to 30).");
  EXPECT_EQ(tried(0.1, -0.1, 0.3, 2),
            " Tried over all 64 samples, 2 remedies together, that at conv1 first, take no error "
            "away that these samples could tell (-10 to 30 %).");
}

TEST(StatementText, PutsStatementsOneBehindTheOther) {
  const Statements reasons{
      {.says = "at_value", .figures = {{"value", figure::value("y")}}},
      {.says = "saturation", .figures = {{"part", figure::share(0.5)}}},
      {.says = "and_also", .figures = {{"op", figure::op("mm")}}},
      {.says = "rounding.constants", .figures = {{"part", figure::share(0.5)}}},
      {.says = "share_includes", .figures = {{"op", figure::op("add")}}}};
  EXPECT_EQ(text_of(reasons),
            "at its value y: neither weight nor codes explain 50 % of its own error, and this CPU "
            "(no VNNI) saturates sums of 8-bit products; and at mm: its constants, as the "
            "quantized model has them, make 50 % of its own error; the share includes what begins "
            "at add");
}

TEST(StatementText, BeginsSentencesOfTheVerdictWithACapital) {
  const Statements verdict{{.says = "begin", .figures = {}},
                           {.says = "observation.apart", .figures = {}},
                           {.says = "next", .figures = {}},
                           {.says = "nothing_compared", .figures = {}}};
  EXPECT_EQ(text_of(verdict),
            "Run beside the float model in one session, the quantized one computes something else. "
            "Nothing was compared.");
}

TEST(StatementText, TellsOfObservations) {
  const auto unseen = [](const std::vector<std::string>& ops,
                         const std::vector<std::string>& inside) {
    return told("observation.unseen",
                {{"ops", figure::ops(ops)}, {"inside", figure::texts(inside)}});
  };
  EXPECT_EQ(unseen({"mul"}, {"QLinearConv 'c'"}),
            "the runtime computes mul inside QLinearConv 'c', when nobody looks at its result");
  EXPECT_EQ(unseen({"a", "b", "c", "d"}, {}),
            "the runtime computes a, b, c and 1 more in another way, fused with neighbours, when "
            "nobody looks at their results");
  EXPECT_THAT(told("observation.losses", {{"deployed", figure::decibels(31)},
                                          {"observed", figure::decibels(-kInfinite)}}),
              HasSubstr("keep 31.0 dB of SQNR as the file is deployed, and would be told as "
                        "nothing (not finite)"));
}

/// The words in the first column of the tables of docs/statements.md.
std::set<std::string> documented() {
  std::ifstream file(QUANTLENS_SOURCE_DIR "/docs/statements.md");
  std::set<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find(" |"));
    for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at + 1)) {
      const std::size_t end = cell.find('`', at + 1);
      words.insert(cell.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  return words;
}

TEST(StatementText, HasASentenceForEachStatementThatIsDocumented) {
  std::set<std::string> words;
  for (const auto& group : {value_sentences(), model_sentences(), cause_sentences(),
                            observation_sentences(), verdict_sentences(), speed_sentences()}) {
    for (const Sentence& one : group) {
      EXPECT_TRUE(words.emplace(one.says).second) << one.says << " has two";
    }
  }
  EXPECT_EQ(words, documented());
}

TEST(StatementText, ShowsWhatItDoesNotKnowAndWhatIsMissing) {
  EXPECT_EQ(told("later", {{"part", figure::share(0.5)}}),
            R"(later {"part":{"is":"share","value":5E-1}})");
  EXPECT_EQ(told("at_op"), " ?: ");
  EXPECT_THAT(told("saturation", {{"part", figure::text("much")}}), HasSubstr("explain nan %"));
}

TEST(DiagnosisJson, HasSentencesBesideTheFigures) {
  Diagnosis diagnosis;
  diagnosis.conclusions = {{.says = "nothing_compared", .figures = {}}};
  Finding finding;
  finding.reasons = {{.says = "saturation", .figures = {{"part", figure::share(0.75)}}}};
  finding.remedy = boost::json::object{{"reduce_range", "true"}};
  finding.severity = Severity::warning;
  diagnosis.findings = {finding};
  const json::Value object = diagnosis_json(diagnosis);
  EXPECT_EQ(object.at("verdict"), "Nothing was compared.");
  const json::Value& told = object.at("findings").at(0);
  EXPECT_THAT(std::string(told.at("because").as_string()), HasSubstr("explain 75 % of its own"));
  EXPECT_EQ(told.at("reasons").at(0).at("figures").at("part").at("value"), 0.75);
  EXPECT_EQ(told.at("remedy").at("reduce_range"), "true");
  EXPECT_EQ(told.at("severity"), "warning");
}

TEST(DiagnosisJson, TellsWhatEarlierReleasesWroteAsItWasWritten) {
  const auto old = from_file<Diagnosis>(
      R"({"verdict": "All is lost.", "findings": [{"rule": "rounding", "op": "a",
          "because": "8 bits are too few", "remedy": "", "severity": "note"}]})",
      "diagnosis.json");
  const json::Value object = diagnosis_json(old);
  EXPECT_EQ(object.at("verdict"), "All is lost.");
  EXPECT_EQ(object.at("findings").at(0).at("because"), "8 bits are too few");
}

}  // namespace
}  // namespace quantlens
