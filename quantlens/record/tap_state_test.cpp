// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/tap_state.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

std::vector<float> values_of(std::uint64_t sample) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(sample + 1));
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> values(60);
  for (float& value : values) value = normal(random);
  values[sample % 60] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

std::vector<std::uint8_t> codes_of(std::span<const float> values) {
  std::vector<std::uint8_t> codes;
  for (const float value : values) {
    codes.push_back(static_cast<std::uint8_t>(
        std::clamp(value == value ? value * 8 : 0.f, -100.f, 100.f) + 128));
  }
  return codes;
}

/// What two taps and two pairs gather over these samples.
TapState gathered(std::initializer_list<std::uint64_t> samples) {
  TapState state;
  state.model = std::string(60, '0') + "12ef";
  state.values.resize(2);
  state.pairs.resize(2);
  state.values[0].value = "conv";
  state.values[0].channel_axis = 1;
  state.values[1].value = "input";
  state.pairs[0].reference = state.pairs[1].reference = "conv";
  state.pairs[0].quantized = "conv_a";
  state.pairs[1].quantized = "conv_b";
  state.values[0].channel_histograms.resize(2);
  state.values[0].channel_histograms[1].channel = 2;
  for (PairedStats& pair : state.pairs) {
    pair.channel_axis = 1;
    pair.channel_histograms.resize(1);
    pair.channel_histograms[0].channel = 1;
  }
  for (const std::uint64_t sample : samples) {
    const std::vector<float> x = values_of(sample);
    const std::vector<std::uint8_t> q = codes_of(x);
    state.samples.insert(sample);
    state.values[0].moments.add(sample, x);
    state.values[0].histogram.add(x);
    state.values[0].channels.add(x, {1, 3, 20});
    const std::span<const float> second = std::span(x).subspan(20, 20);
    state.values[0].channel_histograms[0].histogram.add(std::span(x).first(20));
    state.values[0].channel_histograms[1].histogram.add(std::span(x).subspan(40));
    state.pairs[0].channel_histograms[0].reference.add(second);
    state.pairs[0].channel_histograms[0].codes.add(std::span(q).subspan(20, 20));
    state.pairs[1].channel_histograms[0].quantized.add(second);
    for (PairedStats& pair : state.pairs) {
      pair.reference_channels.add(x, {1, 3, 20});
      pair.error_channels.add(x, {1, 3, 20});
    }
    state.values[1].moments.add(sample, x);
    state.pairs[0].pairs.add(sample, x, q, {0.125f, 128}, {-16, 16});
    state.pairs[0].reference_histogram.add(x);
    state.pairs[0].code_histogram.add(q);
    state.pairs[1].pairs.add(sample, x, x);
    state.pairs[1].quantized_histogram.add(x);
  }
  return state;
}

Errc refusal(const std::string& bytes) {
  try {
    tap_state_from_bytes(bytes, "statistics.bin");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("statistics.bin: "), 0u) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "it was read";
  return Errc::failed;
}

Errc merge_refusal(TapState state, const TapState& other) {
  const TapState before = state;
  try {
    merge(state, other);
  } catch (const Error& error) {
    EXPECT_EQ(state, before) << "a refused merge changed the state";
    return error.code();
  }
  ADD_FAILURE() << "they were merged";
  return Errc::failed;
}

TEST(TapState, ReadsBackAsItWas) {
  const TapState state = gathered({0, 1, 2, 40});
  EXPECT_EQ(tap_state_from_bytes(to_bytes(state), "statistics.bin"), state);
}

TEST(TapState, OfNothingReadsBackToo) {
  EXPECT_EQ(tap_state_from_bytes(to_bytes(TapState{}), "statistics.bin"), TapState{});
  const TapState untouched = gathered({});
  EXPECT_EQ(tap_state_from_bytes(to_bytes(untouched), "statistics.bin"), untouched);
}

TEST(TapState, EqualStatesGiveEqualBytesWhateverTheOrderOfSamples) {
  EXPECT_EQ(to_bytes(gathered({5, 1, 40, 3})), to_bytes(gathered({1, 3, 5, 40})));
}

TEST(TapState, BytesAreSortedEvenIfTheStateIsNot) {
  TapState state = gathered({1, 2});
  const std::string sorted = to_bytes(state);
  std::swap(state.values[0], state.values[1]);
  std::swap(state.pairs[0], state.pairs[1]);
  EXPECT_EQ(to_bytes(state), sorted);
}

TEST(TapState, MergedHalvesEqualTheWholeByteForByte) {
  const std::string whole = to_bytes(gathered({0, 1, 2, 3, 32, 64}));
  TapState first = gathered({0, 2, 64});
  merge(first, gathered({1, 3, 32}));
  EXPECT_EQ(to_bytes(first), whole);
  TapState second = gathered({1, 3, 32});
  merge(second, gathered({0, 2, 64}));
  EXPECT_EQ(to_bytes(second), whole);
}

TEST(TapState, ABlankStateIsNeutralInAMerge) {
  const TapState state = gathered({1, 2});
  TapState blank;
  merge(blank, state);
  EXPECT_EQ(blank, state);
  merge(blank, TapState{});
  EXPECT_EQ(blank, state);
  TapState untouched = gathered({});
  merge(untouched, state);
  EXPECT_EQ(untouched, state);
}

TEST(TapState, OverlappingSamplesAreNotMerged) {
  EXPECT_EQ(merge_refusal(gathered({1, 2}), gathered({2, 3})), Errc::bad_input);
}

TEST(TapState, OfDifferentModelsAreNotMerged) {
  TapState other = gathered({3});
  other.model.back() = '0';
  EXPECT_EQ(merge_refusal(gathered({1, 2}), other), Errc::bad_input);
  other.model.clear();
  EXPECT_EQ(merge_refusal(gathered({1, 2}), other), Errc::bad_input);
}

TEST(TapState, WhatNamesTheModelIsASha256OrNothing) {
  TapState state = gathered({1});
  for (const std::string& model : {std::string("12"), std::string(64, 'g'), std::string(65, '0')}) {
    state.model = model;
    EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input) << model;
  }
  state.model.clear();
  EXPECT_EQ(tap_state_from_bytes(to_bytes(state), "x"), state);
}

TEST(TapState, DifferentlyTappedStatesAreNotMerged) {
  const TapState state = gathered({1, 2});
  TapState other = gathered({3});
  other.values[1].value = "output";
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.values.pop_back();
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.values[0].channel_axis = 2;
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.values[0].channels = {};
  other.values[0].channels.add(values_of(3), {1, 4, 15});
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.values[0].histogram = {};
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.pairs[0].quantized = "conv_0";
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.pairs[0].code_histogram = {};
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.values[0].channel_histograms[0].channel = 1;
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.pairs[1].channel_histograms.clear();
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
  other = gathered({3});
  other.pairs[1].channel_axis = 2;
  EXPECT_EQ(merge_refusal(state, other), Errc::bad_input);
}

/// One of kParts. Address sanitizer keeps the stack frames that an exception leaves behind, and
/// each call looks through them: as one test, a refusal for every byte takes longer than its time
/// limit.
class DamagedTapState : public testing::TestWithParam<int> {
 public:
  static constexpr int kParts = 8;

 protected:
  /// Every kParts-th place of `bytes`.
  static std::vector<std::size_t> places(const std::string& bytes) {
    std::vector<std::size_t> all;
    for (auto at = static_cast<std::size_t>(GetParam()); at < bytes.size(); at += kParts) {
      all.push_back(at);
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Each, DamagedTapState, testing::Range(0, DamagedTapState::kParts));

TEST_P(DamagedTapState, TruncatedItIsRefused) {
  const std::string bytes = to_bytes(gathered({0, 7}));
  for (const std::size_t length : places(bytes)) {
    ASSERT_EQ(refusal(bytes.substr(0, length)), Errc::bad_input) << length;
  }
  EXPECT_EQ(refusal(bytes + '\0'), Errc::bad_input);
}

TEST_P(DamagedTapState, OneWrongByteIsRefusedOrReadsAsAnotherCanonicalState) {
  const std::string bytes = to_bytes(gathered({0, 7}));
  for (const std::size_t at : places(bytes)) {
    const int flip = std::array{0x01, 0x80, 0xff}[(at / kParts) % 3];
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ flip);
    try {
      ASSERT_EQ(to_bytes(tap_state_from_bytes(damaged, "x")), damaged) << at << " ^ " << flip;
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == Errc::bad_input || error.code() == Errc::unsupported)
          << error.what();
    }
  }
}

TEST(TapState, OtherVersionsAreRefusedInWords) {
  std::string bytes = to_bytes(gathered({1}));
  bytes[8] = 4;
  EXPECT_EQ(refusal(bytes), Errc::unsupported);
  bytes[8] = 2;
  EXPECT_EQ(refusal(bytes), Errc::unsupported);
}

TEST(TapState, ChannelsOutOfOrderTwiceOrBeyondTheLastAreRefused) {
  TapState state = gathered({1});
  state.values[0].channel_histograms[1].channel = 0;
  EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input);
  state.values[0].channel_histograms[1].channel = 3;
  EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input);
  state = gathered({1});
  state.pairs[0].channel_histograms[0].channel = 3;
  EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input);
  state = gathered({1});
  state.pairs[0].error_channels = {};
  EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input);
}

TEST(TapState, ValuesOutOfOrderOrTwiceAreRefused) {
  TapState state = gathered({1});
  state.values[1].value = "conv";
  EXPECT_EQ(refusal(to_bytes(state)), Errc::bad_input);
}

}  // namespace
}  // namespace quantlens
