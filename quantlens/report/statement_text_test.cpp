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
#include "quantlens/record/testing/op_refs.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kEndless = std::numeric_limits<double>::infinity();

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
                                     {"scale", figure::number(kEndless)},
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
                                        {"op", figure::op(op_ref("add"))}};
  EXPECT_EQ(told("share.begins", figures),
            " 65 % (47 to 83, measured) of the error begins at add: ");
  figures["samples"] = figure::count(16);
  EXPECT_EQ(told("share.begins", figures),
            " 65 % (47 to 83, measured over 16 samples) of the error begins at add: ");
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
                                        {"op", figure::op(op_ref("add"))}};
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
  EXPECT_EQ(loss(20, "all"), "The outputs keep 20.0 dB of SQNR: most of their signal is kept.");
  EXPECT_EQ(loss(15, "all"), "The outputs keep 15.0 dB of SQNR: some of their signal is lost.");
  EXPECT_EQ(loss(5, "all"), "The outputs keep 5.0 dB of SQNR: much of their signal is lost.");
  EXPECT_EQ(loss(2, "compared"),
            "The compared outputs keep 2.0 dB of SQNR: more than half of their signal is lost.");
  EXPECT_EQ(loss(-4, "all"),
            "The outputs keep -4.0 dB of SQNR: their error is greater than their signal.");
  EXPECT_EQ(loss(kEndless, "all"), "The outputs are equal.");
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
                          {"op", figure::op(op_ref("conv1"))},
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
      {.says = "and_also", .figures = {{"op", figure::op(op_ref("mm"))}}},
      {.says = "rounding.constants", .figures = {{"part", figure::share(0.5)}}},
      {.says = "share_includes", .figures = {{"op", figure::op(op_ref("add"))}}}};
  EXPECT_EQ(text_of(reasons),
            "at its value y: neither weight nor codes explain 50 % of its own error, and this CPU "
            "(no VNNI) saturates sums of 8-bit products; and at mm: 50 % of its own error comes "
            "from its constants as they are stored in the quantized model; the share includes what "
            "begins at add");
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
  const auto unseen = [](std::initializer_list<const char*> ops,
                         const std::vector<std::string>& inside) {
    return told("observation.unseen",
                {{"ops", figure::ops(op_refs(ops))}, {"inside", figure::texts(inside)}});
  };
  EXPECT_EQ(unseen({"mul"}, {"QLinearConv 'c'"}),
            "the runtime computes mul inside QLinearConv 'c', when nobody looks at its result");
  EXPECT_EQ(unseen({"a", "b", "c", "d"}, {}),
            "the runtime computes a, b, c and 1 more in another way, fused with neighbours, when "
            "nobody looks at their results");
  EXPECT_THAT(told("observation.losses",
                   {{"deployed", figure::decibels(31)}, {"observed", figure::decibels(-kEndless)}}),
              HasSubstr("keep 31.0 dB of SQNR as the file is deployed, and would be told as "
                        "nothing (not finite)"));
}

TEST(StatementText, TellsOfConstantsThatDiffer) {
  const auto told_of = [](Statement how, std::map<std::string, Figure> begin) {
    return text_of(Statements{{"changed_constant", std::move(begin)},
                              std::move(how),
                              {"changed_constant.beyond_codes", {}}});
  };
  EXPECT_EQ(told_of({"constant.zero", {{"elements", figure::count(9)}}},
                    {{"constant", figure::text("weight")}}),
            "its weight is 0 in all its 9 elements, which no rounding of its codes makes");
  EXPECT_EQ(told_of({"constant.number",
                     {{"is", figure::number(-0.1875)}, {"was", figure::number(0.125)}}},
                    {{"constant", figure::text("constant")}, {"ops", figure::count(2)}}),
            "its constant (which 2 ops share) is -0.1875, not 0.125, which no rounding of its "
            "codes makes");
  const Figure elements = figure::count(576);
  EXPECT_EQ(told("constant.zeros", {{"zeros", figure::count(3)}, {"elements", elements}}),
            "is 0 in 3 of 576 elements that are not small in the float one");
  EXPECT_EQ(
      told("constant.wrapped",
           {{"codes", figure::count(256)}, {"off", figure::count(4)}, {"elements", elements}}),
      "is off by 256 codes in 4 of 576 elements: they have left the codes' range and wrapped "
      "around");
  EXPECT_EQ(told("constant.few_codes", {{"used", figure::count(7)},
                                        {"codes", figure::count(256)},
                                        {"bits", figure::count(3)},
                                        {"gap", figure::count(42)}}),
            "has only 7 of its 256 codes, as many as 3 bits have, in steps of 42 codes");
  std::map<std::string, Figure> turn{{"of", figure::text("kernels")},
                                     {"turn", figure::text("flipped")}};
  EXPECT_EQ(told("constant.turned", turn), "has its kernels flipped");
  turn["axis"] = figure::count(3);
  EXPECT_EQ(told("constant.turned", turn), "has its kernels flipped along axis 3");
  EXPECT_EQ(told("constant.turned",
                 {{"of", figure::text("matrix")}, {"turn", figure::text("transposed")}}),
            "has its matrix transposed");
  EXPECT_EQ(told("constant.signs", {{"turned", figure::count(3)},
                                    {"of", figure::count(16)},
                                    {"channels", figure::text("output channels")}}),
            "has the opposite sign in 3 of 16 output channels");
  std::map<std::string, Figure> factors{{"times", figure::number(1.0999)}};
  EXPECT_EQ(told("constant.factors", factors), "is 1.1 times the float one");
  factors["times"] = figure::numbers({0.5, 1.25});
  factors["changed"] = figure::count(3);
  factors["of"] = figure::count(4);
  factors["channels"] = figure::text("input channels");
  EXPECT_EQ(told("constant.factors", factors),
            "is 0.5 to 1.25 times the float one in 3 of 4 input channels");
  EXPECT_EQ(told("constant.elements_moved", {{"moved", figure::count(3)}, {"elements", elements}}),
            "has 3 of 576 elements in another order");
  EXPECT_EQ(told("constant.channels_moved", {{"moved", figure::count(2)},
                                             {"channels", figure::count(16)},
                                             {"from", figure::count(5)},
                                             {"to", figure::count(0)}}),
            "has 2 of 16 channels in another order (5 stands in place of 0)");
  EXPECT_EQ(told("constant.both_factors"),
            "has other factors in its input and its output channels");
  EXPECT_EQ(told("constant.other_numbers",
                 {{"sqnr", figure::decibels(-3.04)}, {"cosine", figure::number(0.018)}}),
            "holds other numbers (-3.0 dB, cosine 0.02)");
  EXPECT_EQ(told("constant.nonfinite", {{"nonfinite", figure::count(1)}, {"elements", elements}}),
            "holds NaN or infinities in 1 of 576 elements that are finite in the float one");
}

TEST(StatementText, TellsOfOpsThatDiffer) {
  const Figure op = figure::op({.id = "c", .name = "conv2"});
  EXPECT_EQ(told("changed_op.bounds",
                 {{"is", figure::numbers({0, 3})}, {"was", figure::numbers({-kEndless, 6})}}),
            "its bounds are 0 and 3 in the quantized model, not -inf and 6");
  const std::map<std::string, Figure> one_not_two{{"is", figure::number(1)},
                                                  {"was", figure::number(2)}};
  EXPECT_EQ(told("changed_op.alpha", one_not_two),
            "its alpha is 1 in the quantized model, not 2, and its weight does not make up for it");
  EXPECT_EQ(
      text_of(Statements{
          {"changed_op.beta", one_not_two}, {"and", {}}, {"changed_op.beta", one_not_two}}),
      "its beta is 1 in the quantized model, not 2, and its bias does not make up for it; its "
      "beta is 1 in the quantized model, not 2, and its bias does not make up for it");
  EXPECT_EQ(
      told("changed_op.bias_factor", {{"times", figure::number(0.125)},
                                      {"beta", figure::number(2)},
                                      {"alpha", figure::number(0.5)}}),
      "its bias counts 0.125 times as much in the quantized model: QGemm has no beta, which is "
      "2, and multiplies the bias by its alpha, 0.5");
  EXPECT_EQ(
      text_of(Statements{
          {"changed_op.of_attributes", {}},
          {"changed_op.attribute",
           {{"name", figure::text("pads")},
            {"is", figure::wholes({0, 0, 2, 2})},
            {"was", figure::wholes({})},
            {"neutral", figure::whole(0)}}},
          {"and", {}},
          {"changed_op.attribute",
           {{"name", figure::text("axis")}, {"is", figure::whole(-1)}, {"was", figure::whole(1)}}},
          {"and", {}},
          {"changed_op.attribute",
           {{"name", figure::text("mode")},
            {"is", figure::text("edge")},
            {"was", figure::text("constant")}}},
          {"and", {}},
          {"changed_op.real_attribute",
           {{"name", figure::text("epsilon")},
            {"is", figure::number(0.001)},
            {"was", figure::number(1e-5)}}}}),
      "its attributes are others in the quantized model: pads is [0,0,2,2], not 0 throughout; "
      "axis is -1, not 1; mode is 'edge', not 'constant'; epsilon is 0.001, not 1e-05");
  EXPECT_EQ(told("changed_op.integers", {{"input", figure::count(2)},
                                         {"is", figure::wholes({2, -1})},
                                         {"was", figure::count(12)}}),
            "its input 2 is [2,-1] in the quantized model, not 12 integers");
  EXPECT_EQ(told("changed_op.inputs_exchanged"),
            "its two inputs stand in the other order in the quantized model");
  EXPECT_EQ(told("changed_op.inputs_reordered"),
            "its inputs stand in another order in the quantized model");
  EXPECT_EQ(told("changed_op.another_result", {{"op", op}}),
            "it reads another result of conv2 in the quantized model");
  EXPECT_EQ(told("changed_op.another_input", {{"op", op}}),
            "it does not read what conv2 gives in the quantized model");
  EXPECT_EQ(told("changed_op.replaced", {{"type", figure::text("Max")}}),
            "the quantized model has Max in its place");
  std::map<std::string, Figure> gone{{"type", figure::text("Relu")}, {"op", op}};
  EXPECT_EQ(told("changed_op.no_activation", gone),
            "the quantized model has no Relu behind conv2, and nothing else clips there");
  gone["zero_point"] = figure::whole(3);
  gone["codes"] = figure::numbers({-0.3, 25.2});
  EXPECT_EQ(
      told("changed_op.no_activation", gone),
      "the quantized model has no Relu behind conv2, and the codes there (zero point 3) reach "
      "from -0.3 to 25.2");
  EXPECT_EQ(told("left_out"),
            "the quantized model leaves it out: what reads it reads what goes into it");
  EXPECT_EQ(told("left_out", {{"reader", op}}),
            "the quantized model leaves it out: conv2 reads what goes into it");
  EXPECT_EQ(told("left_out.behind", {{"op", op}}),
            "the quantized model leaves it out: what reads it reads the result of conv2");
  EXPECT_EQ(told("changed_weight.of_another", {{"op", op}}),
            "its weight in the quantized model is that of conv2");
  EXPECT_EQ(told("lost_bias.all_zero", {{"elements", figure::count(4)}}),
            "its bias is 0 in the quantized model, in all 4 elements");
}

TEST(StatementText, TellsOfCodesThatAreReadOtherwise) {
  std::map<std::string, Figure> codes{{"written_scale", figure::number(0.25F)},
                                      {"written_zero_point", figure::whole(80)},
                                      {"read_scale", figure::number(0.1F)},
                                      {"read_zero_point", figure::whole(-3)}};
  EXPECT_EQ(told("unequal_codes", codes),
            "its codes are written with scale 0.25 and zero point 80 and read with scale 0.1 and "
            "zero point -3");
  codes["reader"] = figure::op({.id = "m", .name = "mul"});
  codes["other_readers"] = figure::count(2);
  codes["read_channel"] = figure::count(5);
  EXPECT_EQ(
      told("unequal_codes", codes),
      "its codes are written with scale 0.25 and zero point 80 and read by mul and 2 more with "
      "scale 0.1 and zero point -3 (of channel 5)");
  EXPECT_EQ(
      told("unequal_codes.exchanged", codes),
      "mul reads the codes of its two inputs with each other's figures: those written with "
      "scale 0.25 and zero point 80 are read with scale 0.1 and zero point -3 (of channel 5)");
  std::map<std::string, Figure> bias{{"step", figure::number(0.125)},
                                     {"product_step", figure::number(0.0625)},
                                     {"times", figure::number(0.5)}};
  EXPECT_EQ(told("unequal_codes.of_bias", bias),
            "its bias has steps of 0.125, its input and its weight have 0.0625 together: integer "
            "kernels add the codes of the bias as they are, so that it counts 0.5 times. The scale "
            "of the bias or that of its input is not the one that the file was made with");
  bias["input"] = figure::op({.id = "x", .name = "x"});
  EXPECT_THAT(told("unequal_codes.of_bias", bias),
              HasSubstr("that of its input, the codes of x, is not the one"));
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
  for (const auto& group :
       {value_sentences(), model_sentences(), change_sentences(), cause_sentences(),
        observation_sentences(), verdict_sentences(), speed_sentences(), comparison_sentences()}) {
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
