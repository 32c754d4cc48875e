// SPDX-License-Identifier: Apache-2.0
// What is said of times, word for word.
#include <limits>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/report/statement_text.h"

namespace quantlens {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using FigureMap = std::map<std::string, Figure>;
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string told_speed(const std::string& says, FigureMap figures = {}) {
  return text_of(Statements{{.says = says, .figures = std::move(figures)}});
}

std::string of_kernels(const std::string& says, const Counts& quantized, const Counts& reference) {
  return told_speed(says, {{"kernels", figure::counts(quantized)},
                           {"reference_kernels", figure::counts(reference)}});
}

TEST(SpeedSentences, SayWhatEachRuleSays) {
  EXPECT_EQ(of_kernels("speed.lost_kernel", {{"FusedConv", 2}}, {}),
            "FusedConv stands between quantizers, but the runtime has no integer kernel for it "
            "there and computes it in float");
  EXPECT_EQ(of_kernels("speed.float_island", {{"Softmax", 1}}, {}),
            "Softmax is computed in float and pays for what is around it");
  EXPECT_EQ(of_kernels("speed.broken_fusion", {{"QLinearConv + com.microsoft.Gelu", 1}},
                       {{"FusedConv", 1}}),
            "what float computes as FusedConv takes QLinearConv + Gelu in int8");
  EXPECT_EQ(of_kernels("speed.slow_kernel", {{"QLinearConv", 3}}, {{"Conv", 1}, {"FusedConv", 2}}),
            "QLinearConv, which the quantized model runs, is slower than FusedConv (2 ops), Conv "
            "(1) of the float model");
  EXPECT_EQ(of_kernels("speed.conversions", {{"QLinearAdd", 1}}, {}),
            "QLinearAdd saves less than conversions and layouts cost");
}

TEST(SpeedSentences, ShowFourTypesOfNodesAndNoDomains) {
  EXPECT_THAT(of_kernels("speed.conversions", {{"A + com.microsoft.B + C + ai.onnx.ml.D", 1}}, {}),
              StartsWith("A + B + C + D saves"));
  EXPECT_THAT(of_kernels("speed.conversions", {{"A + B + C + D + E + F", 1}}, {}),
              StartsWith("A + B + C + D and 2 more saves"));
  EXPECT_THAT(of_kernels("speed.conversions", {{"", 1}}, {}), StartsWith("nothing saves"));
  EXPECT_THAT(of_kernels("speed.conversions", {{"B", 1}, {"A", 1}, {"com.microsoft.A", 1}}, {}),
              StartsWith("A (2 ops), B (1) saves"));
}

TEST(SpeedSentences, TellTimesOfFindings) {
  const Statements reasons{{"speed.slow_kernel",
                            {{"kernels", figure::counts({{"MaxPool", 1}})},
                             {"reference_kernels", figure::counts({{"MaxPool", 1}})}}},
                           {"speed.slow_kernel.with_readers", {}},
                           {"speed.times",
                            {{"reference", figure::microseconds(10)},
                             {"kernels", figure::microseconds(30.04)},
                             {"conversions", figure::microseconds(4)},
                             {"layouts", figure::microseconds(50)}}}};
  EXPECT_EQ(text_of(reasons),
            "MaxPool, which the quantized model runs, is slower than MaxPool of the float model, "
            "and needs what reads it in float, too: 10.0 us in the float model, 30.0 us in the "
            "quantized one, and there 4.0 us for conversions and 50.0 us for other layouts");
}

TEST(SpeedSentences, TellWhatCameOfARemedy) {
  const auto tried = [](double ratio, double low, double high, double around) {
    return FigureMap{{"ratio", figure::number(ratio)},
                     {"interval", figure::numbers({low, high})},
                     {"before", figure::microseconds(80)},
                     {"in_float", figure::microseconds(24)},
                     {"around", figure::microseconds(around)}};
  };
  EXPECT_EQ(told_speed("speed.tried", tried(0.9, 0.88, 0.92, 4)),
            ". Measured with them in float, this model is faster: it takes 0.900 of its time (95 % "
            "0.880 to 0.920); they take 24.0 us then where they took 80.0 us, and what is next to "
            "them takes 4.0 us more");
  EXPECT_THAT(
      told_speed("speed.tried", tried(1.46, 1.44, 1.48, -4)),
      AllOf(HasSubstr("this model is slower: it takes 1.460"), HasSubstr("takes 4.0 us less")));
  EXPECT_THAT(told_speed("speed.tried", tried(0.5, 0, kInfinite, 0)),
              HasSubstr("is no faster, as far as these runs can tell: it takes 0.500 of its time "
                        "(95 % 0.000 to inf)"));
  FigureMap some = tried(0.9, 0.88, 0.92, 4);
  some["ops"] = figure::count(1);
  some["of"] = figure::count(2);
  EXPECT_THAT(told_speed("speed.tried", some), HasSubstr("with 1 of these 2 ops in float"));
}

TEST(SpeedSentences, TellWhyARemedyWasNotTried) {
  const auto untried = [](Statement why) {
    return text_of(
        Statements{{"speed.not_measured", {}}, std::move(why), {"speed.float_neighbours", {}}});
  };
  EXPECT_EQ(untried({"speed.not_tried.no_recipe", {}}),
            ". What they take in float in this model is not measured (the file holds no recipe to "
            "make it anew by): the float model's times are of ops whose neighbours are float, too");
  EXPECT_THAT(untried({"speed.not_tried.beyond", {{"findings", figure::count(1)}}}),
              HasSubstr("(remedies of the first 1 finding alone were to be tried)"));
  EXPECT_THAT(untried({"speed.not_tried.edited_float_model", {}}),
              HasSubstr("(the file was made from an edited float model)"));
  EXPECT_THAT(untried({"speed.not_tried.another_file", {}}),
              HasSubstr("(the file comes out as another one when it is made anew by its recipe)"));
  EXPECT_THAT(untried({"speed.not_tried.no_time", {}}),
              HasSubstr("(other remedies have taken a minute)"));
  EXPECT_EQ(told_speed("speed.not_tried.in_float"), "it is in float already");
}

std::string compared(double ratio, double low, double high) {
  return told_speed("speed.compared",
                    {{"ratio", figure::number(ratio)}, {"interval", figure::numbers({low, high})}});
}

TEST(SpeedSentences, SayHowTheTwoCompare) {
  EXPECT_THAT(compared(1, 0.99, 1.01), StartsWith("The quantized model is neither faster nor "
                                                  "slower than float, as far as these runs can "
                                                  "tell: run in turn with float"));
  EXPECT_EQ(compared(0.5, 0.4, 0.6),
            "The quantized model is 2.00 times as fast as float: run in turn with float, it takes "
            "0.500 of its time (95 % 0.400 to 0.600); ");
  EXPECT_THAT(compared(1.5, 1.4, 1.6), HasSubstr("1.50 times as slow"));
  EXPECT_EQ(told_speed("speed.balance", {{"saved", figure::microseconds(40)},
                                         {"lost", figure::microseconds(5)},
                                         {"conversions", figure::microseconds(10)},
                                         {"layouts", figure::microseconds(0)}}),
            " Faster kernels save 40.0 us, slower ones cost 5.0 us, conversions 10.0 us and other "
            "layouts 0.0 us.");
}

TEST(SpeedSentences, HaveTheUnitThatFitsTheirGreatestTime) {
  const auto medians = [](double quantized, double reference) {
    return told_speed("speed.medians", {{"quantized", figure::microseconds(quantized)},
                                        {"reference", figure::microseconds(reference)}});
  };
  EXPECT_EQ(medians(63.84, 53.82), "medians 63.8 us against 53.8 us.");
  EXPECT_EQ(medians(63.84, 1234.5), "medians 0.064 ms against 1.234 ms.");
}

TEST(SpeedSentences, SayWhyMediansHaveAnotherRatioThanRunsInTurn) {
  FigureMap medians{{"quantized", figure::microseconds(1000)},
                    {"reference", figure::microseconds(1100)}};
  EXPECT_EQ(told_speed("speed.medians", medians), "medians 1.000 ms against 1.100 ms.");
  medians["other_ratio"] = figure::number(1 / 1.1);
  EXPECT_EQ(told_speed("speed.medians", medians),
            "medians 1.000 ms against 1.100 ms, 0.909 of each other, since the machine's speed "
            "changed between rounds: the runs in turn are what compares.");
}

TEST(SpeedSentences, SayThatTimersMadeAnotherGraph) {
  EXPECT_EQ(told_speed("speed.other_graph",
                       {{"model", figure::text("a\x1b.onnx")}, {"kept", figure::decibels(31.04)}}),
            "a?.onnx: with timers in its graph the runtime computes something else (the "
            "outputs keep 31.0 dB of those without): the wall times are those of the file, but the "
            "times of nodes are of another graph");
  EXPECT_THAT(told_speed("speed.other_graph", {{"model", figure::text("net.onnx")}}),
              HasSubstr("computes something else: the wall times"));
}

}  // namespace
}  // namespace quantlens
