// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/histograms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using ::testing::HasSubstr;

/// Two pairs of one reference, and one more that stands before them when sorted.
TapState some_pairs() {
  TapState state;
  state.samples.insert(0);
  const std::vector<std::pair<std::string, std::string>> names = {
      {"conv", "conv_a"}, {"conv", "conv_b"}, {"a", "a_quantized"}};
  for (const auto& [reference, quantized] : names) {
    PairedStats& pair = state.pairs.emplace_back();
    pair.reference = reference;
    pair.quantized = quantized;
    pair.reference_histogram.add(drawn::normal_floats(state.pairs.size(), 100));
    pair.quantized_histogram.add(drawn::normal_floats(state.pairs.size() + 10, 100));
  }
  return state;
}

std::string what_is_said(std::string_view bytes) {
  try {
    const HistogramsReader reader(bytes, "histograms.bin");
    for (const PairEntry& entry : reader.entries())
      (void)reader.find(entry.reference, entry.quantized);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Histograms, BeginAsTheirTapState) {
  EXPECT_TRUE(histograms_to_bytes(some_pairs(), {}).starts_with(to_bytes(some_pairs())));
}

TEST(Histograms, OneIsReadWithoutTheOthers) {
  const TapState state = some_pairs();
  std::string bytes = histograms_to_bytes(state, {});
  const HistogramsReader whole(bytes, "histograms.bin");
  ASSERT_EQ(whole.entries().size(), state.pairs.size());
  EXPECT_EQ(whole.samples(), state.samples);
  EXPECT_EQ(whole.entries()[0].reference, "a");
  for (const PairedStats& pair : state.pairs) {
    EXPECT_EQ(whole.find(pair.reference, pair.quantized), pair);
  }
  EXPECT_FALSE(whole.find("conv", "conv_c"));
  EXPECT_FALSE(whole.find("", ""));

  // all but the second pair's bytes may be anything
  const PairEntry entry = whole.entries()[1];
  for (std::size_t i = 0; i < whole.entries()[2].offset + whole.entries()[2].size; ++i) {
    if (i < entry.offset || i >= entry.offset + entry.size) bytes[i] = '\xff';
  }
  EXPECT_EQ(HistogramsReader(bytes, "histograms.bin").find("conv", "conv_a"), state.pairs[0]);
}

TEST(Histograms, WithoutAnIndexTheyAreReadWhole) {
  const TapState state = some_pairs();
  const std::string bytes = to_bytes(state);
  EXPECT_EQ(to_bytes(histograms_from_bytes(bytes, "old").state), bytes);
  EXPECT_THAT(what_is_said(bytes), HasSubstr("histograms.bin: has no index"));
}

/// Every place near both ends, where heads and indices are, and each seventh between them: what
/// stands there is much alike, and each place costs a reading of all.
std::size_t step_at(std::size_t place, const std::string& bytes) {
  constexpr std::size_t kNear = 300;
  return place < kNear || place + kNear > bytes.size() ? 1 : 7;
}

TEST(Histograms, TruncatedAnywhereAreRefused) {
  const std::string bytes = histograms_to_bytes(some_pairs(), {});
  const std::size_t without_index = to_bytes(some_pairs()).size();
  for (std::size_t size = 0; size < bytes.size(); size += step_at(size, bytes)) {
    EXPECT_NE(what_is_said(bytes.substr(0, size)), "") << size;
    if (size == without_index) continue;  // as a layout before had it
    EXPECT_THROW(histograms_from_bytes(bytes.substr(0, size), "cut"), Error) << size;
  }
}

TEST(Histograms, OneWrongByteOfTheIndexIsRefused) {
  const std::string bytes = histograms_to_bytes(some_pairs(), {});
  for (std::size_t i = to_bytes(some_pairs()).size(); i < bytes.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string wrong = bytes;
      wrong[i] = static_cast<char>(wrong[i] ^ flip);
      EXPECT_THROW(histograms_from_bytes(wrong, "wrong"), Error) << i;
      (void)what_is_said(wrong);  // whatever it says, it reads nothing beyond the bytes
    }
  }
}

TEST(Histograms, AnIndexThatNamesAnotherPairIsRefused) {
  std::string bytes = histograms_to_bytes(some_pairs(), {});
  const std::size_t name = bytes.rfind("conv_b");
  bytes.replace(name, 6, "conv_c");
  EXPECT_THAT(what_is_said(bytes), HasSubstr("its index names another pair"));
}

TEST(Histograms, AnIndexThatWasReadBeforeFindsNothingElseInAnotherFile) {
  const std::string bytes = histograms_to_bytes(some_pairs(), {});
  const auto index = HistogramsReader(bytes, "histograms.bin").index();
  EXPECT_TRUE(HistogramsReader(bytes, "histograms.bin", index).find("conv", "conv_a"));
  for (const std::string& other : {std::string(), bytes.substr(40), "12345678" + bytes}) {
    EXPECT_THROW(HistogramsReader(other, "histograms.bin", index).find("conv", "conv_a"), Error);
  }
}

/// Two weights, one of which two ops read.
void each_weight(const std::function<void(const PairedStats&)>& tell) {
  for (const char* name : {"w2", "w1", "w2"}) {
    PairedStats weight;
    weight.reference = name;
    weight.quantized = std::string(name) + "_codes";
    weight.reference_histogram.add(drawn::normal_floats(1, 50));
    weight.pairs.add(0, drawn::normal_floats(1, 50), drawn::normal_floats(2, 50));
    tell(weight);
  }
}

TEST(Histograms, WeightsAreFoundAsValuesAre) {
  const std::string bytes = histograms_to_bytes(some_pairs(), each_weight);
  const HistogramsReader reader(bytes, "histograms.bin");
  EXPECT_EQ(reader.entries().size(), 5U);
  const auto weight = reader.find("w1", "w1_codes");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->reference_histogram.count(), 50U);
  EXPECT_EQ(weight->pairs.count(), 50U);
  EXPECT_TRUE(reader.find("conv", "conv_a"));
  const Histograms whole = histograms_from_bytes(bytes, "histograms.bin");
  ASSERT_EQ(whole.weights.size(), 2U);
  EXPECT_EQ(whole.state.pairs.size(), 3U);
  for (std::size_t size = to_bytes(some_pairs()).size() + 1; size < bytes.size();
       size += step_at(size, bytes))
    EXPECT_THROW(histograms_from_bytes(bytes.substr(0, size), "cut"), Error) << size;
}

TEST(Histograms, OfLayoutsBeforeAreReadWithoutWeights) {
  std::string bytes = histograms_to_bytes(some_pairs(), {});
  const std::size_t trailer = bytes.size() - 24;
  bytes = bytes.substr(0, trailer) + bytes.substr(trailer + 8, 8) + "QLINDEX\n";
  EXPECT_TRUE(HistogramsReader(bytes, "old").find("conv", "conv_a"));
  EXPECT_EQ(to_bytes(histograms_from_bytes(bytes, "old").state), to_bytes(some_pairs()));
}

}  // namespace
}  // namespace quantlens
