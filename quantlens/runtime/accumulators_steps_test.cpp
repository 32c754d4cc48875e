// SPDX-License-Identifier: Apache-2.0
// Several steps of Accumulators that are open at once.
#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/accumulators.h"

namespace quantlens {
namespace {

Tensor random_tensor(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.5f, 2);
  std::vector<float> values(static_cast<std::size_t>(*element_count(shape)));
  for (float& value : values) value = normal(random);
  return Tensor::from<float>(std::move(shape), std::move(values));
}

PairTap pair(std::string reference, std::string quantized) {
  PairTap result;
  result.reference = std::move(reference);
  result.quantized = std::move(quantized);
  return result;
}

TEST(AccumulatorSteps, StepsThatAreOpenAtOnceGatherWhatTheyDoInTurn) {
  TapSpec spec;
  spec.taps.resize(1);
  spec.taps[0].value = "y";
  spec.taps[0].channel_axis = 1;
  spec.taps[0].channel_histograms = {0, 3};
  spec.pairs = {pair("x", "y")};
  spec.pairs[0].channel_axis = 1;
  spec.pairs[0].channel_histograms = {2};
  constexpr unsigned kSteps = 48;
  Accumulators in_turn(spec), at_once(spec);
  const auto feed = [](Accumulators& to, unsigned i) {
    const std::vector<std::uint64_t> samples{2 * i, 2 * i + 1};
    const Tensor x = random_tensor({2, 5, 40}, i), y = random_tensor({2, 5, 40}, i + kSteps);
    Accumulators::Step step = to.begin(samples);
    step.observe(0, view(y));
    step.compare(0, view(x), view(y));
    step.end();
  };
  for (unsigned i = 0; i < kSteps; ++i) feed(in_turn, i);
  std::vector<std::thread> threads;
  for (unsigned first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (unsigned i = first; i < kSteps; i += 4) feed(at_once, kSteps - 1 - i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(to_bytes(at_once.take()), to_bytes(in_turn.take()));
}

TEST(AccumulatorSteps, GatherTheSameWhetherStepsThatOverlapHavePartsOfTheirOwnOrShareOne) {
  for (const std::int64_t channels : {7, 50'000}) {  // a part of so many has no room for a second
    TapSpec spec;
    spec.pairs = {pair("x", "y")};
    spec.pairs[0].channel_axis = 1;
    spec.pairs[0].channel_histograms = {2, 6};
    Accumulators in_turn(spec), overlapping(spec);
    const auto show = [&](Accumulators::Step& step, unsigned i) {
      const Tensor x = random_tensor({1, channels}, i), y = random_tensor({1, channels}, i + 100);
      step.compare(0, view(x), view(y));
      step.end();
    };
    constexpr std::uint64_t kSteps = 20;
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      Accumulators::Step step = in_turn.begin({&i, 1});
      show(step, static_cast<unsigned>(i));
    }
    for (std::uint64_t i = 0; i < kSteps; i += 2) {
      const std::uint64_t next = i + 1;
      Accumulators::Step one = overlapping.begin({&i, 1});
      Accumulators::Step other = overlapping.begin({&next, 1});
      show(other, static_cast<unsigned>(next));
      show(one, static_cast<unsigned>(i));
    }
    EXPECT_EQ(to_bytes(overlapping.take()), to_bytes(in_turn.take())) << channels;
  }
}

TEST(AccumulatorSteps, ADroppedPairIsToldAsItsFirstSampleShowsItWhicheverStepEndsFirst) {
  TapSpec spec;
  spec.pairs = {pair("a", "q"), pair("b", "q"), pair("c", "q")};
  const Tensor x = random_tensor({1, 6}, 1);
  const auto of_shape = [&](std::size_t slot, std::uint64_t sample) {
    if (slot == 1) return sample == 0 ? Shape{6, 1} : Shape{1, 6};
    return sample == 0 ? Shape{1, 6} : Shape{1, static_cast<std::int64_t>(sample), 6};
  };
  const auto show = [&](Accumulators::Step& step, std::uint64_t sample) {
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const std::vector<float> values(6 * (slot == 1 ? 1 : std::max<std::size_t>(sample, 1)));
      step.compare(slot, view(x), view(Tensor::from<float>(of_shape(slot, sample), values)));
    }
  };
  const auto told = [&](bool backwards) {
    Accumulators accumulators(spec);
    const std::vector<std::uint64_t> zero{0}, one{1}, two{2};
    Accumulators::Step a = accumulators.begin(zero);
    Accumulators::Step b = accumulators.begin(one);
    Accumulators::Step c = accumulators.begin(two);
    std::vector<std::pair<Accumulators::Step*, std::uint64_t>> steps{{&a, 0}, {&b, 1}, {&c, 2}};
    if (backwards) std::ranges::reverse(steps);
    for (const auto& [step, sample] : steps) {
      show(*step, sample);
      step->end();
    }
    EXPECT_EQ(accumulators.take().pairs.size(), 0u);
    return accumulators.not_tapped();
  };
  const std::vector<NotTapped> forwards = told(false);
  ASSERT_EQ(forwards.size(), 3u);
  EXPECT_EQ(forwards[0].value, "b") << "sample 0 shows it";
  EXPECT_EQ(forwards[1].value, "a");
  EXPECT_NE(forwards[1].reason.find("[1,1,6]"), std::string::npos) << forwards[1].reason;
  EXPECT_EQ(told(true), forwards);
}

TEST(AccumulatorSteps, ASampleOfAStepThatIsStillOpenIsRefused) {
  TapSpec spec;
  spec.taps.resize(1);
  spec.taps[0].value = "y";
  Accumulators accumulators(spec);
  const std::vector<std::uint64_t> samples{3, 4}, again{4};
  const Accumulators::Step step = accumulators.begin(samples);
  try {
    accumulators.begin(again);
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
  }
}

}  // namespace
}  // namespace quantlens
