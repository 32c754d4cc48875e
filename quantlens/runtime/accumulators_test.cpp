// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/accumulators.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.5f, 2);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

Tensor float_tensor(Shape shape, unsigned seed) {
  const auto count = static_cast<std::size_t>(*element_count(shape));
  return Tensor::from<float>(std::move(shape), random_values(count, seed));
}

Tensor random_codes(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(*element_count(shape)));
  for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random() % 256);
  return Tensor::from<std::uint8_t>(std::move(shape), std::move(codes));
}

Tap tap(std::string value) {
  Tap result;
  result.value = std::move(value);
  return result;
}

PairTap code_pair(std::string reference, std::string quantized) {
  PairTap result;
  result.reference = std::move(reference);
  result.quantized = std::move(quantized);
  return result;
}

Scheme scheme_of(DType dtype) {
  Scheme scheme;
  scheme.dtype = dtype;
  return scheme;
}

/// Feeds one value in one step over samples first, first + 1, ...
void observe(Accumulators& accumulators, std::uint64_t first, std::uint64_t count,
             const Tensor& value) {
  std::vector<std::uint64_t> samples(count);
  std::iota(samples.begin(), samples.end(), first);
  Accumulators::Step step = accumulators.begin(samples);
  step.observe(0, view(value));
  step.end();
}

template <class Call>
Errc refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  ADD_FAILURE() << "it was accepted";
  return Errc::failed;
}

/// Elements [begin, begin + extent) of the axis.
Tensor part(const Tensor& whole, std::size_t axis, std::int64_t begin, std::int64_t extent) {
  std::size_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < whole.shape().size(); ++i) {
    if (i != axis) (i < axis ? outer : inner) *= static_cast<std::size_t>(whole.shape()[i]);
  }
  const auto all = static_cast<std::size_t>(whole.shape()[axis]);
  std::vector<float> values;
  for (std::size_t o = 0; o < outer; ++o) {
    const auto from =
        whole.data<float>().begin() +
        static_cast<std::ptrdiff_t>((o * all + static_cast<std::size_t>(begin)) * inner);
    values.insert(values.end(), from, from + extent * static_cast<std::int64_t>(inner));
  }
  Shape shape = whole.shape();
  shape[axis] = extent;
  return Tensor::from<float>(shape, std::move(values));
}

TEST(Accumulators, CountTheSameByBatchesAndOneByOne) {
  for (const int axis : {0, 1, 2, -1}) {
    TapSpec spec;
    spec.taps = {tap("y")};
    spec.taps[0].sample_axis = axis;
    spec.taps[0].channel_axis = 1;
    const Tensor whole = float_tensor({8, 12, 4, 300}, 1);
    Accumulators batched(spec), single(spec);
    observe(batched, 10, 4, whole);
    const std::size_t at = axis < 0 ? 3 : static_cast<std::size_t>(axis);
    const std::int64_t each = whole.shape()[at] / 4;
    for (std::int64_t s = 0; s < 4; ++s) {
      observe(single, 10 + static_cast<std::uint64_t>(s), 1, part(whole, at, s * each, each));
    }
    EXPECT_EQ(to_bytes(batched.take()), to_bytes(single.take())) << "sample axis " << axis;
  }
}

TEST(Accumulators, GatherWhatAPlainLoopDoes) {
  TapSpec spec;
  spec.taps = {tap("y")};
  spec.taps[0].channel_axis = 1;
  const std::vector<float> values{1, -2,   std::numeric_limits<float>::quiet_NaN(),
                                  4, 0.5f, std::numeric_limits<float>::infinity()};
  Accumulators accumulators(spec);
  observe(accumulators, 7, 1, Tensor::from<float>({1, 3, 2}, values));
  const TapState state = accumulators.take();
  const ValueStats& stats = state.values.at(0);
  EXPECT_EQ(stats.moments.count(), 4u);
  EXPECT_EQ(stats.moments.nan_count(), 1u);
  EXPECT_EQ(stats.moments.inf_count(), 1u);
  EXPECT_EQ(stats.moments.min(), -2);
  EXPECT_EQ(stats.moments.max(), 4);
  EXPECT_DOUBLE_EQ(stats.moments.mean(), 3.5 / 4);
  EXPECT_EQ(stats.moments.blocks()[7].finite, 4u);
  EXPECT_EQ(stats.histogram.count(), 4u);
  ASSERT_EQ(stats.channels.channels().size(), 3u);
  EXPECT_EQ(stats.channels.channels()[1].max, 4);
  EXPECT_EQ(stats.channels.channels()[2].nonfinite, 1u);
  EXPECT_TRUE(state.samples.contains(7));
}

TEST(Accumulators, OtherTypesCountAsTheirFloats) {
  const std::vector<float> values{0, 1, -3, 1.5f};
  std::vector<std::uint16_t> halves, bfloats;
  for (const float value : values) {
    halves.push_back(half_from_float(value));
    bfloats.push_back(bfloat16_from_float(value));
  }
  const auto bits = [](DType dtype, const std::vector<std::uint16_t>& from) {
    const Tensor held = Tensor::from<std::uint16_t>({1, 4}, from);
    return Tensor(dtype, {1, 4}, held.bytes(), held.owner());
  };
  const auto state_of = [](const Tensor& value) {
    TapSpec spec;
    spec.taps = {tap("y")};
    Accumulators accumulators(spec);
    observe(accumulators, 0, 1, value);
    return to_bytes(accumulators.take());
  };
  const std::string wanted = state_of(Tensor::from<float>({1, 4}, values));
  EXPECT_EQ(state_of(Tensor::from<double>({1, 4}, {0, 1, -3, 1.5})), wanted);
  EXPECT_EQ(state_of(bits(DType::float16, halves)), wanted);
  EXPECT_EQ(state_of(bits(DType::bfloat16, bfloats)), wanted);
  const std::string whole = state_of(Tensor::from<float>({1, 3}, {0, 1, 7}));
  EXPECT_EQ(state_of(Tensor::from<std::int64_t>({1, 3}, {0, 1, 7})), whole);
  EXPECT_EQ(state_of(Tensor::from<std::int32_t>({1, 3}, {0, 1, 7})), whole);
  EXPECT_EQ(state_of(Tensor::from<std::uint8_t>({1, 3}, {0, 1, 7})), whole);
  EXPECT_EQ(state_of(Tensor::from<bool>({1, 2}, {false, true})),
            state_of(Tensor::from<float>({1, 2}, {0, 1})));
}

TEST(Accumulators, ReadFloatsThatAreNotAligned) {
  const std::vector<float> values = random_values(100, 3);
  std::vector<std::byte> bytes(1 + values.size() * sizeof(float));
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(float));
  const Shape shape{2, 50};
  TapSpec spec;
  spec.taps = {tap("y")};
  Accumulators aligned_ones(spec), shifted(spec);
  observe(aligned_ones, 0, 2, Tensor::from<float>(shape, values));
  const std::vector<std::uint64_t> samples{0, 1};
  Accumulators::Step step = shifted.begin(samples);
  step.observe(0, {DType::float32, shape, bytes.data() + 1});
  step.end();
  EXPECT_EQ(to_bytes(shifted.take()), to_bytes(aligned_ones.take()));
}

TEST(Accumulators, CodesCompareAsTheirDequantizedValues) {
  const Tensor x = float_tensor({4, 6, 50}, 4);
  const Tensor codes = random_codes({4, 6, 50}, 5);
  std::vector<std::int8_t> shifted;
  std::vector<std::int16_t> wide;
  std::vector<float> floats;
  for (const std::uint8_t code : codes.data<std::uint8_t>()) {
    shifted.push_back(static_cast<std::int8_t>(code - 128));
    wide.push_back(static_cast<std::int16_t>(code));
    floats.push_back(static_cast<float>(code - 120) * 0.03f);
  }
  TapSpec spec;
  spec.pairs = {code_pair("x", "float"), code_pair("x", "int16"), code_pair("x", "int8"),
                code_pair("x", "uint8")};
  spec.pairs[1].params = spec.pairs[3].params = QParams{0.03f, 120};
  spec.pairs[2].params = QParams{0.03f, -8};
  spec.pairs[1].scheme = scheme_of(DType::int16);
  spec.pairs[3].scheme = scheme_of(DType::uint8);
  for (const int axis : {0, 1}) {
    for (PairTap& each : spec.pairs) each.sample_axis = axis;
    Accumulators accumulators(spec);
    const std::vector<std::uint64_t> samples{3, 4};
    Accumulators::Step step = accumulators.begin(samples);
    step.compare(0, view(x), view(Tensor::from<float>(x.shape(), floats)));
    step.compare(1, view(x), view(Tensor::from<std::int16_t>(x.shape(), wide)));
    step.compare(2, view(x), view(Tensor::from<std::int8_t>(x.shape(), shifted)));
    step.compare(3, view(x), view(codes));
    step.end();
    const TapState state = accumulators.take();
    ASSERT_EQ(state.pairs.size(), 4u);
    for (const PairedStats& stats : state.pairs) {
      EXPECT_EQ(stats.pairs.mse(), state.pairs[0].pairs.mse()) << stats.quantized;
      EXPECT_EQ(stats.pairs.worst(), state.pairs[0].pairs.worst()) << stats.quantized;
      EXPECT_EQ(stats.reference_histogram.count(), 1200u);
    }
    const auto clipped = std::ranges::count_if(x.data<float>(), [](float value) {
      return value < -120.5 * 0.03f || value > 135.5 * 0.03f;
    });
    EXPECT_GT(clipped, 0);
    EXPECT_EQ(state.pairs[2].pairs.clip_rate(), static_cast<double>(clipped) / 1200);
    EXPECT_EQ(state.pairs[3].pairs.clip_rate(), state.pairs[2].pairs.clip_rate());
    EXPECT_EQ(state.pairs[2].code_histogram, state.pairs[3].code_histogram);
    EXPECT_EQ(state.pairs[3].code_histogram.count(), 1200u);
    EXPECT_EQ(state.pairs[0].code_histogram.count(), 0u);
    EXPECT_EQ(state.pairs[0].quantized_histogram, state.pairs[1].quantized_histogram);
  }
}

/// Why a code_pair of such values is dropped; empty: it is not.
std::string obstacle(const PairTap& code_pair, const Tensor& x, const Tensor& y) {
  TapSpec spec;
  spec.pairs = {code_pair};
  Accumulators accumulators(spec);
  const std::vector<std::uint64_t> samples{0};
  Accumulators::Step step = accumulators.begin(samples);
  step.compare(0, view(x), view(y));
  step.end();
  EXPECT_EQ(accumulators.take().pairs.size() + accumulators.not_tapped().size(), 1u);
  if (accumulators.not_tapped().empty()) return {};
  EXPECT_EQ(accumulators.not_tapped()[0].value, code_pair.reference);
  EXPECT_EQ(accumulators.not_tapped()[0].quantized, code_pair.quantized);
  return accumulators.not_tapped()[0].reason;
}

TEST(Accumulators, PairsThatDoNotFitAreDroppedWithTheReason) {
  PairTap coded = code_pair("x", "q");
  coded.params = QParams{};
  coded.scheme = scheme_of(DType::int8);
  const PairTap floats = code_pair("x", "y\n");
  const Tensor x = float_tensor({1, 6}, 1);
  const Tensor codes = random_codes({1, 6}, 1);
  EXPECT_EQ(obstacle(floats, x, x), "");
  EXPECT_EQ(
      obstacle(coded, x, codes),
      "when run, 'x' of the reference is float32 and 'q' of the quantized model uint8, not int8");
  EXPECT_EQ(
      obstacle(coded, x, x),
      "when run, 'x' of the reference is float32 and 'q' of the quantized model float32, not int8");
  EXPECT_EQ(obstacle(floats, x, codes),
            "when run, 'x' of the reference is float32 and 'y?' of the quantized model uint8, not "
            "a float");
  EXPECT_EQ(obstacle(floats, x, x.reshaped({2, 3})),
            "when run, 'x' of the reference has shape [1,6] and 'y?' of the quantized model [2,3]");
  EXPECT_EQ(obstacle(floats, x, x.reshaped({6})),
            "when run, 'x' of the reference has shape [1,6] and 'y?' of the quantized model [6]");
  const Tensor strings = Tensor::from_strings({1}, {"a"});
  EXPECT_EQ(obstacle(floats, strings, x.reshaped({6})),
            "when run, 'x' of the reference has shape [1] and 'y?' of the quantized model [6]");
  EXPECT_EQ(obstacle(floats, strings, strings),
            "when run, 'x' of the reference is string and 'y?' of the quantized model string, not "
            "a float");
}

TEST(Accumulators, ADroppedPairIsGoneWithAllThatItGathered) {
  TapSpec spec;
  spec.pairs = {code_pair("a", "a"), code_pair("b", "b")};
  for (PairTap& each : spec.pairs) {  // with channels, of which some may still be pending
    each.channel_axis = 1;
    each.channel_histograms = {0, 5};
  }
  Accumulators accumulators(spec);
  const Tensor x = float_tensor({1, 6}, 1);
  for (const std::uint64_t sample : {0u, 1u, 2u, 3u}) {
    const std::vector<std::uint64_t> samples{sample};
    Accumulators::Step step = accumulators.begin(samples);
    step.compare(0, view(x), view(sample == 1 ? x.reshaped({6, 1}) : x));
    step.compare(1, view(x), view(x));
    EXPECT_EQ(accumulators.not_tapped().size(), sample > 1 ? 1u : 0u) << "known after the step";
    step.end();
    EXPECT_EQ(accumulators.not_tapped().size(), sample > 0 ? 1u : 0u);
    if (sample == 2) {
      const TapState state = accumulators.take();
      ASSERT_EQ(state.pairs.size(), 1u);
      EXPECT_EQ(state.pairs[0].reference, "b");
      EXPECT_EQ(state.pairs[0].pairs.count(), 18u);
    }
  }
  EXPECT_EQ(accumulators.take().pairs.size(), 1u) << "for good, not until the next take";
}

TEST(Accumulators, PairsAreDroppedFromManyThreadsInTheOrderOfSlots) {
  TapSpec spec;
  for (unsigned i = 0; i < 32; ++i) spec.pairs.push_back(code_pair("v" + std::to_string(i), "q"));
  const Tensor x = float_tensor({1, 6}, 1);
  const Tensor other = x.reshaped({1, 2, 3});
  const std::vector<std::uint64_t> samples{0};
  Accumulators accumulators(spec);
  Accumulators::Step step = accumulators.begin(samples);
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < 32; i += 4) {
        step.compare(i, view(x), view(i % 2 == 0 ? other : x));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  step.end();
  ASSERT_EQ(accumulators.not_tapped().size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(accumulators.not_tapped()[i].value, spec.pairs[2 * i].reference);
  }
  EXPECT_EQ(accumulators.take().pairs.size(), 16u);
}

TEST(Accumulators, ASampleSeenTwiceIsRefused) {
  TapSpec spec;
  spec.taps = {tap("y")};
  Accumulators accumulators(spec);
  observe(accumulators, 3, 2, float_tensor({2, 5}, 1));
  const std::vector<std::uint64_t> again{4}, twice{7, 7}, none;
  EXPECT_EQ(refusal([&] { accumulators.begin(again); }), Errc::bad_input);
  EXPECT_EQ(refusal([&] { accumulators.begin(twice); }), Errc::bad_input);
  EXPECT_EQ(refusal([&] { accumulators.begin(none); }), Errc::bad_input);
}

TEST(Accumulators, ASlotFedNeverOrTwiceIsAFailureThatNamesIt) {
  TapSpec spec;
  spec.taps = {tap("a"), tap("b")};
  const Tensor value = float_tensor({1, 5}, 1);
  const std::vector<std::uint64_t> samples{0};
  Accumulators never(spec);
  Accumulators::Step never_step = never.begin(samples);
  never_step.observe(0, view(value));
  try {
    never_step.end();
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::failed);
    EXPECT_NE(std::string(error.what()).find("'b'"), std::string::npos) << error.what();
  }
  EXPECT_EQ(refusal([&] { never.take(); }), Errc::failed) << "half a step was given out";
  Accumulators twice(spec);
  Accumulators::Step twice_step = twice.begin(samples);
  for (const std::size_t slot : {0u, 1u, 1u}) twice_step.observe(slot, view(value));
  EXPECT_EQ(refusal([&] { twice_step.end(); }), Errc::failed);
}

TEST(Accumulators, DroppedSlotsAreLeftOut) {
  TapSpec spec;
  spec.taps = {tap("b"), tap("a"), tap("c")};
  spec.pairs = {code_pair("a", "a"), code_pair("b", "b")};
  Accumulators accumulators(spec);
  accumulators.drop_tap(2, "no place");
  accumulators.drop_pair(0, "nor here");
  const std::vector<NotTapped> expected{{"c", "", "no place"}, {"a", "a", "nor here"}};
  EXPECT_EQ(accumulators.not_tapped(), expected);
  const Tensor value = float_tensor({1, 5}, 1);
  const std::vector<std::uint64_t> samples{0};
  Accumulators::Step step = accumulators.begin(samples);
  step.observe(0, view(value));
  step.observe(1, view(value));
  step.compare(1, view(value), view(value));
  step.end();
  const TapState state = accumulators.take();
  ASSERT_EQ(state.values.size(), 2u);
  EXPECT_EQ(state.values[0].value, "a") << "values are not sorted";
  ASSERT_EQ(state.pairs.size(), 1u);
  EXPECT_EQ(state.pairs[0].reference, "b");
}

TEST(Accumulators, TakeLeavesThemEmpty) {
  TapSpec spec;
  spec.taps = {tap("y")};
  Accumulators accumulators(spec);
  const TapState untouched = accumulators.take();
  observe(accumulators, 0, 2, float_tensor({2, 5}, 1));
  const TapState first = accumulators.take();
  EXPECT_NE(first, untouched);
  EXPECT_EQ(accumulators.take(), untouched);
  observe(accumulators, 0, 2, float_tensor({2, 5}, 1));
  EXPECT_EQ(accumulators.take(), first);
}

TEST(Accumulators, ValuesThatDoNotDivideByTheBatchAreRefused) {
  TapSpec spec;
  spec.taps = {tap("y")};
  Accumulators accumulators(spec);
  const std::vector<std::uint64_t> two{0, 1};
  Accumulators::Step step = accumulators.begin(two);
  EXPECT_EQ(refusal([&] { step.observe(0, view(float_tensor({3, 2}, 1))); }), Errc::bad_input);
  EXPECT_EQ(refusal([&] { step.observe(0, view(Tensor::scalar(1.0f))); }), Errc::bad_input);
  EXPECT_EQ(refusal([&] {
              step.observe(0, view(Tensor::from_strings({2}, {"a", "b"})));
            }),
            Errc::bad_input);
}

TEST(Accumulators, ABatchOfOneOwnsAScalar) {
  TapSpec spec;
  spec.taps = {tap("y")};
  Accumulators accumulators(spec);
  observe(accumulators, 0, 1, Tensor::scalar(2.0f));
  EXPECT_EQ(accumulators.take().values[0].moments.max(), 2);
}

TEST(Accumulators, AnEmptyTensorIsSeenAndCountsNothing) {
  TapSpec spec;
  spec.taps = {tap("y")};
  spec.taps[0].channel_axis = 1;
  spec.pairs = {code_pair("y", "q")};
  spec.pairs[0].params = QParams{};
  Accumulators accumulators(spec);
  const std::vector<std::uint64_t> samples{0, 1};
  Accumulators::Step step = accumulators.begin(samples);
  step.observe(0, {DType::float32, Shape{2, 3, 0}, nullptr});
  step.compare(0, {DType::float32, Shape{2, 3, 0}, nullptr},
               {DType::uint8, Shape{2, 3, 0}, nullptr});
  step.end();
  const TapState state = accumulators.take();
  EXPECT_EQ(state.samples.size(), 2u);
  EXPECT_EQ(state.values[0].moments.count(), 0u);
  EXPECT_EQ(state.pairs[0].pairs.count(), 0u);
}

TEST(Accumulators, TapsTwiceOnOneValueAreRefused) {
  TapSpec spec;
  spec.taps = {tap("y"), tap("y")};
  EXPECT_EQ(refusal([&] { Accumulators accumulators(spec); }), Errc::bad_input);
  TapSpec pairs;
  pairs.pairs = {code_pair("y", "q"), code_pair("y", "q")};
  EXPECT_EQ(refusal([&] { Accumulators accumulators(pairs); }), Errc::bad_input);
}

TEST(Accumulators, SlotsAreFedFromManyThreadsAtOnce) {
  TapSpec spec;
  std::vector<Tensor> values;
  for (unsigned i = 0; i < 8; ++i) {
    spec.taps.push_back(tap("v" + std::to_string(i)));
    spec.taps.back().sample_axis = 1;  // so that all need scratch space
    values.push_back(float_tensor({30, 4, 20 + i}, i));
  }
  const std::vector<std::uint64_t> samples{0, 1, 2, 3};
  Accumulators serial(spec), parallel(spec);
  Accumulators::Step serial_step = serial.begin(samples);
  for (std::size_t i = 0; i < 8; ++i) serial_step.observe(i, view(values[i]));
  serial_step.end();
  Accumulators::Step parallel_step = parallel.begin(samples);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { parallel_step.observe(i, view(values[i])); });
  }
  for (std::thread& thread : threads) thread.join();
  parallel_step.end();
  EXPECT_EQ(to_bytes(parallel.take()), to_bytes(serial.take()));
}

}  // namespace
}  // namespace quantlens
