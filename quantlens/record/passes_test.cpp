// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/passes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/stats/bytes.h"
#include "quantlens/stats/pair_intervals.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

TapState no_errors() {
  TapState state;
  state.samples.insert(3);
  return state;
}

/// Errors of two samples, by channels, too.
TapState some_errors() {
  TapState state;
  for (const std::uint64_t sample : {0, 1}) state.samples.insert(sample);
  PairedStats& pair = state.pairs.emplace_back();
  pair.reference = "x";
  pair.quantized = "x_codes";
  pair.channel_axis = 1;
  for (const std::uint64_t sample : {0, 1}) {
    const std::vector<float> x = drawn::normal_floats(sample, 60);
    const std::vector<float> y = drawn::normal_floats(sample + 2, 60);
    pair.pairs.add(sample, x, y);
    pair.reference_channels.add(x, {.channels = 3, .inner = 20});
    pair.error_channels.add(y, {.channels = 3, .inner = 20});
  }
  return state;
}

/// passes.bin as versions before 4 had it, where all that was gathered was a TapState.
std::string earlier_passes(std::uint32_t version, const std::string& head,
                           const std::vector<TapState>& states) {
  std::string bytes = "QLPASS\r\n";
  append_u32(bytes, version);
  append_name(bytes, head);
  for (const TapState& state : states) {
    const std::string one = to_bytes(state);
    append_u64(bytes, one.size());
    bytes += one;
  }
  return bytes;
}

TEST(Passes, OfVersion1AreRead) {
  const auto passes = passes_from_bytes(earlier_passes(1, R"({"outputs": [[["node_a", "node_b"]]],
                            "observation": {"unseen": ["node_a"], "untried": []}})",
                                                       {no_errors(), some_errors()}),
                                        "passes.bin");
  ASSERT_EQ(passes.outputs.size(), 1U);
  ASSERT_EQ(passes.outputs[0].in_float.size(), 1U);
  EXPECT_EQ(passes.outputs[0].in_float[0].ops,
            (std::vector<OpRef>{{"", "node_a"}, {"", "node_b"}}));
  EXPECT_EQ(passes.outputs[0].in_float[0].errors, some_errors());
  EXPECT_EQ(passes.observation.unseen, (std::vector<OpRef>{{"", "node_a"}}));
}

TEST(Passes, OfVersion3AreRead) {
  TapState ops = some_errors();
  ops.pairs[0].reference_channels = {};
  TapState sums = some_errors();
  sums.pairs[0].pairs.join_blocks();
  const auto passes =
      passes_from_bytes(earlier_passes(3, R"({"ops": true, "weights": true, "inputs": false,
                            "outputs": [[[{"id": "a", "name": "node_a"}]]]})",
                                       {ops, sums, no_errors(), some_errors()}),
                        "passes.bin");
  EXPECT_EQ(passes.local.ops, ops);
  EXPECT_EQ(passes.local.weights, sums);
  EXPECT_FALSE(passes.local.inputs);
  ASSERT_EQ(passes.outputs.size(), 1U);
  EXPECT_EQ(passes.outputs[0].as_they_are, no_errors());
  EXPECT_EQ(passes.outputs[0].in_float.at(0).errors, some_errors());
}

TEST(Passes, AreKeptAsFarAsADiagnosisReadsThem) {
  Passes passes;
  passes.local = {.ops = some_errors(), .weights = some_errors(), .inputs = some_errors()};
  passes.outputs = {{.as_they_are = some_errors(), .in_float = {}}};
  const auto kept = passes_from_bytes(to_bytes(passes), "passes.bin");
  EXPECT_EQ(kept.outputs.at(0).as_they_are, some_errors());
  const PairedStats wanted = some_errors().pairs.at(0);
  ASSERT_EQ(kept.local.ops->pairs.size(), 1U);
  const PairedStats& ops = kept.local.ops->pairs[0];
  EXPECT_EQ(kept.local.ops->samples, some_errors().samples);
  EXPECT_EQ(ops.reference, wanted.reference);
  EXPECT_EQ(ops.quantized, wanted.quantized);
  EXPECT_EQ(PairIntervals(ops.pairs).sqnr_db(), PairIntervals(wanted.pairs).sqnr_db());
  ASSERT_EQ(ops.error_channels.channels().size(), 3U);
  EXPECT_EQ(ops.error_channels.channels()[2].mean(), wanted.error_channels.channels()[2].mean());
  EXPECT_TRUE(ops.reference_channels.channels().empty());
  for (const auto& pass : {kept.local.weights, kept.local.inputs}) {
    const PairStats& sums = pass->pairs.at(0).pairs;
    EXPECT_EQ(sums.mse(), wanted.pairs.mse());
    EXPECT_EQ(sums.blocks()[0].finite, wanted.pairs.count()) << "in one block";
  }
  EXPECT_EQ(to_bytes(kept), to_bytes(passes)) << "what was judged again is stored as it was";
}

TEST(Passes, OfVersion4AreRead) {
  Passes passes;
  passes.local = {.ops = some_errors(), .weights = some_errors(), .inputs = {}};
  passes.outputs = {{.as_they_are = some_errors(), .in_float = {}}};
  const std::string bytes = to_bytes(passes);
  constexpr std::size_t kMagic = 12;
  std::string earlier = "QLPASS\r\n";
  append_u32(earlier, 4);
  earlier += gunzip(std::string_view(bytes).substr(kMagic), "passes.bin");
  EXPECT_EQ(to_bytes(passes_from_bytes(earlier, "passes.bin")), bytes);
}

TEST(Passes, ThatEndTooEarlyAreRefused) {
  Passes passes;
  passes.local = {.ops = some_errors(), .weights = {}, .inputs = some_errors()};
  const std::string bytes = to_bytes(passes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(passes_from_bytes(std::string_view(bytes).substr(0, size), "passes.bin"), Error)
        << size;
  }
}

}  // namespace
}  // namespace quantlens
