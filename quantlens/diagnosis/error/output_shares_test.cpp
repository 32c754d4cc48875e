// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/output_shares.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

/// Errors of one value, mean squares: accumulated, local, and the inputs' part of the local one.
struct Errors {
  double accumulated = 0, local = 0, of_inputs = 0;
};

class Case {
 public:
  explicit Case(const std::map<std::string, Errors>& values) {
    for (const auto& [value, errors] : values) {
      ActivationRow row;
      row.value = value;
      row.quantized = value + "_q";
      row.mse = errors.accumulated;
      row.local_mse = errors.local;
      row.input_mse = errors.of_inputs;
      diagnosis_.activations.push_back(row);
      accumulated_.pairs.push_back(stats(value, errors.accumulated));
      local_.pairs.push_back(stats(value, errors.local));
    }
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      accumulated_.samples.insert(sample);
      local_.samples.insert(sample);
    }
  }

  std::map<std::string, double> shares(const SmallGraph& net) {
    const GraphIndex index(net.graph());
    add_output_shares(index, accumulated_, local_, diagnosis_);
    std::map<std::string, double> shares;
    for (const ActivationRow& row : diagnosis_.activations) {
      if (row.output_share) shares[row.value] = *row.output_share;
    }
    return shares;
  }

  void lose(const std::string& value) { diagnosis_.not_compared.push_back({value, "why"}); }
  void add_row(const std::string& value) { diagnosis_.activations.emplace_back().value = value; }
  std::optional<double> unknown_share() const { return diagnosis_.unknown_share; }
  const ActivationRow& row(std::size_t number) const { return diagnosis_.activations[number]; }
  PairedStats& accumulated(std::size_t number) { return accumulated_.pairs[number]; }

 private:
  static constexpr std::uint64_t kSamples = 8;

  static PairedStats stats(const std::string& value, double mse) {
    PairedStats stats{.reference = value, .quantized = value + "_q"};
    const auto error = static_cast<float>(std::sqrt(mse));
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      stats.pairs.add(sample, std::vector<float>{10, -10},
                      std::vector<float>{10 + error, -10 + error});
    }
    return stats;
  }

  Diagnosis diagnosis_;
  TapState accumulated_, local_;
};

TEST(OutputShares, WhatAnOpAddsStaysThereAndTheRestGoesOn) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"a"}, "b").output("b");
  Case chain({{"a", {1, 1, 0}}, {"b", {4, 3, 0}}});
  const auto shares = chain.shares(net);
  EXPECT_NEAR(shares.at("b"), 0.75, 1e-6);
  EXPECT_NEAR(shares.at("a"), 0.25, 1e-6);
}

TEST(OutputShares, RoundedInputsAreTheirMakersDoing) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::log, {"a"}, "b").output("b");
  Case chain({{"a", {1, 1, 0}}, {"b", {100, 99, 96}}});
  const auto shares = chain.shares(net);
  EXPECT_NEAR(shares.at("b"), 0.03, 1e-6);
  EXPECT_NEAR(shares.at("a"), 0.97, 1e-6);
}

TEST(OutputShares, SumsTakeAbsoluteErrorsAlsoThroughWhatIsNotMeasured) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"x"}, "b");
  net.node(Kind::add, {"a", "b"}, "c").node(Kind::relu, {"c"}, "d").output("d");
  Case sum({{"a", {1, 1, 0}}, {"b", {3, 3, 0}}, {"d", {5, 1, 0}}});
  const auto shares = sum.shares(net);
  EXPECT_NEAR(shares.at("d"), 0.2, 1e-6);
  EXPECT_NEAR(shares.at("a"), 0.2, 1e-6);
  EXPECT_NEAR(shares.at("b"), 0.6, 1e-6);
}

TEST(OutputShares, OfAnEqualOutputThereIsNothingToShare) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"a"}, "b").output("b");
  Case none({{"a", {1, 1, 0}}, {"b", {0, 0, 0}}});
  EXPECT_EQ(none.shares(net).at("a"), 0);
}

TEST(OutputShares, WhatPassesAValueThatWasNotComparedIsUnknown) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"a"}, "lost");
  net.node(Kind::relu, {"lost"}, "b").output("b");
  Case chain({{"a", {1, 1, 0}}, {"b", {4, 3, 0}}});
  chain.lose("lost");
  const auto shares = chain.shares(net);
  EXPECT_NEAR(shares.at("a"), 0.25, 1e-6) << "as far as one can tell";
  EXPECT_NEAR(*chain.unknown_share(), 0.25, 1e-6);
  EXPECT_NEAR((*chain.row(0).output_share_interval)[0], 0, 1e-6) << "it may begin at the lost one";
  EXPECT_NEAR((*chain.row(1).output_share_interval)[0], 0.75, 1e-6);
}

TEST(OutputShares, OfAnIntegerOutputNothingIsUnknown) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::arg_max, {"a"}, "class");
  net.node(Kind::relu, {"a"}, "b").output("b").output("class", DType::int64);
  Case branches({{"a", {1, 1, 0}}, {"b", {4, 3, 0}}});
  branches.lose("class");
  const auto shares = branches.shares(net);
  EXPECT_NEAR(shares.at("b"), 0.75, 1e-6) << "the class has no error that could be shared";
  EXPECT_NEAR(*branches.unknown_share(), 0, 1e-6);
  SmallGraph classes;
  classes.input("x").node(Kind::relu, {"x"}, "a").node(Kind::arg_max, {"a"}, "class");
  classes.output("class", DType::int64);
  Case alone({{"a", {1, 1, 0}}});
  EXPECT_NEAR(alone.shares(classes).at("a"), 1, 1e-6) << "it is all that there is";
}

TEST(OutputShares, IntervalsAreAsWideAsTheSamplesDiffer) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"a"}, "b").output("b");
  Case chain({{"a", {1, 1, 0}}, {"b", {4, 3, 0}}});
  chain.shares(net);
  EXPECT_NEAR((*chain.row(1).output_share_interval)[0], 0.75, 1e-6) << "all samples alike";
  chain.accumulated(1).pairs.add(3, std::vector<float>{1}, std::vector<float>{9});
  const double share = chain.shares(net).at("b");
  const auto [low, high] = *chain.row(1).output_share_interval;
  EXPECT_LT(low, share - 0.1);
  EXPECT_GT(high, share + 0.1);
}

/// What is only moved has a row and is measured where it is made.
TEST(OutputShares, WhatHasARowIsNotUnknownForOtherCodesOfIt) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "a").node(Kind::reshape, {"a"}, "moved").output("moved");
  Case chain({{"a", {1, 1, 0}}});
  chain.lose("moved");
  chain.shares(net);
  EXPECT_NEAR(chain.unknown_share().value(), 1, 1e-6);
  chain.add_row("moved");
  chain.shares(net);
  EXPECT_NEAR(chain.unknown_share().value(), 0, 1e-6);
}

}  // namespace
}  // namespace quantlens
