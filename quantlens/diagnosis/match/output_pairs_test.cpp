// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/output_pairs.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

Graph with_outputs(const std::vector<std::string>& names) {
  SmallGraph net;
  for (const std::string& name : names) net.output(name);
  return net.graph();
}

std::vector<std::pair<std::size_t, std::size_t>> paired(const std::vector<std::string>& reference,
                                                        const std::vector<std::string>& quantized) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const OutputPair& one : output_pairs(with_outputs(reference), with_outputs(quantized))) {
    EXPECT_EQ(one.by_name, reference[one.reference] == quantized[one.quantized]);
    pairs.emplace_back(one.reference, one.quantized);
  }
  return pairs;
}

using testing::ElementsAre;
using testing::Pair;

TEST(OutputPairs, NamesComeBeforePlaces) {
  EXPECT_THAT(paired({"a", "b"}, {"b", "a"}), ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(paired({"a", "b"}, {"b"}), ElementsAre(Pair(1, 0)));
}

TEST(OutputPairs, PlacesTellWhereNoNameIsShared) {
  EXPECT_THAT(paired({"a", "b"}, {"c", "d"}), ElementsAre(Pair(0, 0), Pair(1, 1)));
  EXPECT_THAT(paired({"a", "b"}, {"a", "d"}), ElementsAre(Pair(0, 0)))
      << "files that share names mean other things by others";
  EXPECT_THAT(paired({"a", "b"}, {"c"}), ElementsAre());
}

TEST(OutputPairs, OnlyTensorsHaveElements) {
  Graph sequence = with_outputs({"a"});
  sequence.outputs[0].dtype.reset();
  EXPECT_TRUE(output_pairs(sequence, with_outputs({"a"})).empty());
}

}  // namespace
}  // namespace quantlens
