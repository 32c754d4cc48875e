// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/match_ops.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/growth.h"

namespace quantlens {
namespace {

/// A network of ops that each make one value; what nobody makes and is no input is a weight.
class Network {
 public:
  explicit Network(std::string prefix = "") : prefix_(std::move(prefix)) {
    graph_.inputs.push_back({prefix_ + "x", "float32", "[N,3,8,8]"});
  }
  Network& op(const std::string& output, const std::string& type,
              const std::vector<std::string>& inputs, const std::string& weight = "") {
    OpOutline op{.op = prefix_ + output, .name = prefix_ + "n_" + output, .type = type};
    if (type == "Identity") op.kind = Kind::identity;
    if (type == "Add") op.kind = Kind::add;
    for (const std::string& input : inputs) op.inputs.push_back(prefix_ + input);
    if (!weight.empty()) {
      op.inputs.push_back(prefix_ + output + ".w");
      graph_.weights.push_back({op.inputs.back(), "float32", weight});
    }
    op.outputs.push_back(prefix_ + output);
    graph_.values.push_back({prefix_ + output, "float32", "[N,8]"});
    graph_.ops.push_back(std::move(op));
    return *this;
  }
  GraphOutline out(const std::string& value) {
    graph_.outputs.push_back({prefix_ + value, "float32", "[N,8]"});
    return graph_;
  }

 private:
  std::string prefix_;
  GraphOutline graph_;
};

/// Who is matched with whom, by what their ids end in.
std::string told(const GraphOutline& a, const GraphOutline& b, const OpEvidences& of_a = {},
                 const OpEvidences& of_b = {}) {
  std::string text;
  for (const MatchedPair& match : match_ops({a, of_a}, {b, of_b}))
    text += a.ops[match.a].op + "=" + b.ops[match.b].op + " ";
  return text;
}

Network blocks(const std::string& prefix) {
  Network net(prefix);
  net.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"});
  net.op("c2", "Conv", {"r1"}, "[8,8,3,3]").op("r2", "Relu", {"c2"});
  net.op("c3", "Conv", {"r2"}, "[8,8,3,3]").op("a", "Add", {"c3", "r1"});
  return net;
}

TEST(MatchOps, FindsAllOpsOfARenamedNetwork) {
  const GraphOutline a = blocks("").out("a"), b = blocks("q/").out("a");
  EXPECT_EQ(told(a, b), "c1=q/c1 r1=q/r1 c2=q/c2 r2=q/r2 c3=q/c3 a=q/a ");
  const OpEvidences none;
  EXPECT_EQ(match_ops({a, none}, {b, none}).front().by, OpMatchedBy::structure);
}

TEST(MatchOps, LooksThroughIdentity) {
  Network with("q");
  with.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("i", "Identity", {"c1"}).op("r1", "Relu", {"i"});
  Network without;
  without.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"});
  EXPECT_EQ(told(without.out("r1"), with.out("r1")), "c1=qc1 r1=qr1 ");
}

TEST(MatchOps, IsNotDeceivedByNamesThatWereSwapped) {
  Network swapped;  // c2 and c3 have each other's names
  swapped.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"});
  swapped.op("c3", "Conv", {"r1"}, "[8,8,3,3]").op("r2", "Relu", {"c3"});
  swapped.op("c2", "Conv", {"r2"}, "[8,8,3,3]").op("a", "Add", {"c2", "r1"});
  EXPECT_EQ(told(blocks("").out("a"), swapped.out("a")), "c1=c1 r1=r1 c2=c3 r2=r2 c3=c2 a=a ");
}

TEST(MatchOps, TakesTheOrderOfAddsInputsAsFree) {
  Network turned("q");
  turned.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"});
  turned.op("c2", "Conv", {"r1"}, "[8,8,3,3]").op("r2", "Relu", {"c2"});
  turned.op("c3", "Conv", {"r2"}, "[8,8,3,3]").op("a", "Add", {"r1", "c3"});
  EXPECT_EQ(told(blocks("").out("a"), turned.out("a")), "c1=qc1 r1=qr1 c2=qc2 r2=qr2 c3=qc3 a=qa ");
}

/// Two branches that only their weights tell apart.
GraphOutline twins(const std::string& prefix, const std::string& first, const std::string& second) {
  Network net(prefix);
  net.op(first, "Conv", {"x"}, "[8,3,3,3]").op(first + "r", "Relu", {first});
  net.op(second, "Conv", {"x"}, "[8,3,3,3]").op(second + "r", "Relu", {second});
  return net.op("a", "Add", {first + "r", second + "r"}).out("a");
}

TEST(MatchOps, LeavesAmbiguousOpsAlone) {
  EXPECT_EQ(told(twins("", "l", "r"), twins("q", "m", "n")), "a=qa ");
}

TEST(MatchOps, TellsOpsApartByTheirWeights) {
  const GraphOutline a = twins("", "l", "r"), b = twins("q", "m", "n");
  const OpEvidences of_a{{"l", {.weights = 5}}, {"r", {.weights = 7}}};
  const OpEvidences of_b{{"qm", {.weights = 7}}, {"qn", {.weights = 5}}};
  EXPECT_EQ(told(a, b, of_a, of_b), "l=qn lr=qnr r=qm rr=qmr a=qa ");
}

TEST(MatchOps, TakesNamesOfAmbiguousOpsUnlessWeightsSpeakAgainstThem) {
  const GraphOutline a = twins("", "l", "r"), b = twins("", "r", "l");
  EXPECT_EQ(told(a, b), "l=l lr=lr r=r rr=rr a=a ");
  const OpEvidences of_a{{"l", {.weights = 5}}, {"r", {.weights = 7}}};
  const OpEvidences of_b{{"r", {.weights = 5}}, {"l", {.weights = 7}}};
  EXPECT_EQ(told(a, b, of_a, of_b), "l=r lr=rr r=l rr=lr a=a ");
}

/// One weight of these figures.
OpEvidence weights_of(double deviation) {
  OpEvidence evidence;
  evidence.figures = {
      {.min = -3 * deviation, .max = 3 * deviation, .mean = 0, .standard_deviation = deviation}};
  evidence.weights = static_cast<std::uint64_t>(1e6 * deviation);
  return evidence;
}

TEST(MatchOps, TellsOpsApartByWeightsThatWereFineTuned) {
  const GraphOutline a = twins("", "l", "r"), b = twins("", "r", "l");  // names went over
  const OpEvidences of_a{{"l", weights_of(0.1)}, {"r", weights_of(0.3)}};
  const OpEvidences of_b{{"r", weights_of(0.101)}, {"l", weights_of(0.303)}};
  EXPECT_EQ(told(a, b, of_a, of_b), "l=r lr=rr r=l rr=lr a=a ");
  const OpEvidences retrained{{"r", weights_of(0.2)}, {"l", weights_of(0.21)}};
  EXPECT_EQ(told(a, b, of_a, retrained), "l=l lr=lr r=r rr=rr a=a ") << "names are left";
}

TEST(MatchOps, FindsTheLayerThatWasTakenOutOfAFineTunedChain) {
  const auto chain = [](const std::vector<int>& layers, double factor, OpEvidences& evidence) {
    Network net;
    std::string before = "x";
    for (const int i : layers) {
      const std::string conv = fmt::format("c{}", i), relu = fmt::format("r{}", i);
      net.op(conv, "Conv", {before}, "[8,8,3,3]").op(relu, "Relu", {conv});
      evidence[conv] = weights_of(factor * 0.1 * (1 + i));
      before = relu;
    }
    return net.out(before);
  };
  OpEvidences of_a, of_b;
  const GraphOutline a = chain({1, 2, 3, 4, 5}, 1, of_a), b = chain({1, 2, 4, 5}, 1.01, of_b);
  EXPECT_EQ(told(a, b, of_a, of_b), "c1=c1 r1=r1 c2=c2 r2=r2 c4=c4 r4=r4 c5=c5 r5=r5 ");
}

TEST(MatchOps, BelievesTheWholeStructureMoreThanWeights) {
  const GraphOutline a = blocks("").out("a"), b = blocks("q").out("a");
  const OpEvidences of_a{{"c2", weights_of(0.1)}, {"c3", weights_of(0.5)}};
  const OpEvidences of_b{{"qc2", weights_of(0.501)}, {"qc3", weights_of(0.9)}};
  EXPECT_EQ(told(a, b, of_a, of_b), "c1=qc1 r1=qr1 c2=qc2 r2=qr2 c3=qc3 a=qa ");
}

TEST(MatchOps, GoesOnBehindAnOpThatOnlyOneHas) {
  Network more("q");
  more.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"}).op("s", "Sigmoid", {"r1"});
  more.op("c2", "Conv", {"s"}, "[8,8,3,3]").op("r2", "Tanh", {"c2"});
  Network less;
  less.op("c1", "Conv", {"x"}, "[8,3,3,3]").op("r1", "Relu", {"c1"});
  less.op("c2", "Conv", {"r1"}, "[8,8,3,3]").op("r2", "Tanh", {"c2"});
  EXPECT_EQ(told(less.out("r2"), more.out("r2")), "c1=qc1 r1=qr1 c2=qc2 r2=qr2 ");
}

TEST(MatchOps, SaysNothingOfNetworksThatHaveNothingInCommon) {
  Network other("q");
  other.op("g", "Gemm", {"x"}, "[4,4]").op("t", "Tanh", {"g"});
  EXPECT_EQ(told(blocks("").out("a"), other.out("t")), "");
}

TEST(MatchOps, EndsOnCirclesAndMissingNames) {
  GraphOutline odd = Network().op("p", "Add", {"q", ""}).op("q", "Relu", {"p"}).out("q");
  odd.ops.push_back({.op = "", .name = "", .type = "Relu", .scope = "no/such"});
  odd.ops.push_back({.op = "", .name = "", .type = "Relu", .inputs = {"i"}, .outputs = {"i"}});
  odd.ops.back().kind = Kind::identity;
  EXPECT_EQ(told(odd, odd), "p=p q=q = ");
}

TEST(MatchOps, TakesTimeInProportionToTheNetworks) {
  const auto chain = [](const std::string& prefix, std::size_t size) {
    Network net(prefix);
    std::string before = "x";
    for (std::size_t i = 0; i < size; ++i) {
      const std::string conv = fmt::format("c{}", i), relu = fmt::format("r{}", i);
      net.op(conv, "Conv", {before}, "[8,8,3,3]").op(relu, "Relu", {conv});
      before = relu;
    }
    return net.out(before);
  };
  const auto both = [&](std::size_t size) {
    return std::pair<GraphOutline, GraphOutline>(chain("", size), chain("q", size));
  };
  const OpEvidences none;
  const auto match = [&](const std::pair<GraphOutline, GraphOutline>& two) {
    return match_ops({two.first, none}, {two.second, none});
  };
  EXPECT_EQ(match(both(5000)).size(), 10000U);
  EXPECT_LT(growth_exponent(200, both, match), kMostGrowth);
}

}  // namespace
}  // namespace quantlens
