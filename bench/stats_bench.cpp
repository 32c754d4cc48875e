// SPDX-License-Identifier: Apache-2.0
// Time an element of every accumulator, and of the plain loops that the vectorised kernels must
// match. Read the column `per_element` (500p is half a nanosecond); `Plain...` over its namesake is
// the gain.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "quantlens/stats/channel.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/moments.h"
#include "quantlens/stats/pair_stats.h"

namespace quantlens {
namespace {

constexpr ClipRange kClip{-6, 6};
constexpr Dequantize8 kHow{0.047f, 128};

std::vector<float> normal_floats(std::size_t size) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> relu_floats(std::size_t size) {
  std::vector<float> values = normal_floats(size);
  for (float& value : values) value = std::max(value, 0.0f);
  return values;
}

/// e to the power of normal values times `spread`: 3 is like a softmax, 10 fills 145 octaves.
std::vector<float> exponentials(std::size_t size, float spread) {
  std::vector<float> values = normal_floats(size);
  for (float& value : values) value = std::exp(spread * (value - 2));
  return values;
}

std::vector<std::uint8_t> codes_of(const std::vector<float>& values) {
  std::vector<std::uint8_t> codes(values.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(std::clamp(values[i] / kHow.scale + 128, 0.0f, 255.0f));
  }
  return codes;
}

void count_elements(benchmark::State& state, std::size_t size) {
  const auto all = static_cast<double>(state.iterations()) * static_cast<double>(size);
  state.counters["per_element"] =
      benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void over_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000);
}

void BM_Moments(benchmark::State& state) {
  const std::vector<float> values = normal_floats(static_cast<std::size_t>(state.range(0)));
  Moments moments;
  for (auto _ : state) moments.add(0, values);
  benchmark::DoNotOptimize(moments.count());
  count_elements(state, values.size());
}
BENCHMARK(BM_Moments)->Apply(over_sizes);

void BM_PlainMoments(benchmark::State& state) {
  const std::vector<float> values = normal_floats(kChunk);
  for (auto _ : state) benchmark::DoNotOptimize(plain::chunk_moments(values));
  count_elements(state, values.size());
}
BENCHMARK(BM_PlainMoments);

void BM_MomentsWithNan(benchmark::State& state) {
  std::vector<float> values = normal_floats(kChunk);
  values[77] = std::numeric_limits<float>::quiet_NaN();
  for (auto _ : state) benchmark::DoNotOptimize(chunk_moments(values));
  count_elements(state, values.size());
}
BENCHMARK(BM_MomentsWithNan);

void add_histogram(benchmark::State& state, const std::vector<float>& values) {
  FloatHistogram histogram;
  for (auto _ : state) histogram.add(values);
  benchmark::DoNotOptimize(histogram.count());
  count_elements(state, values.size());
}
void BM_Histogram(benchmark::State& state) {
  add_histogram(state, normal_floats(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_Histogram)->Apply(over_sizes);
void BM_HistogramAfterRelu(benchmark::State& state) {
  add_histogram(state, relu_floats(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_HistogramAfterRelu)->Apply(over_sizes);
void BM_HistogramOfSoftmax(benchmark::State& state) {
  add_histogram(state, exponentials(static_cast<std::size_t>(state.range(0)), 3));
}
BENCHMARK(BM_HistogramOfSoftmax)->Apply(over_sizes);
void BM_HistogramOfTooManyOctaves(benchmark::State& state) {
  add_histogram(state, exponentials(static_cast<std::size_t>(state.range(0)), 10));
}
BENCHMARK(BM_HistogramOfTooManyOctaves)->Arg(100000);

void add_histogram_and_moments(benchmark::State& state, const std::vector<float>& values) {
  FloatHistogram histogram;
  Moments moments;
  for (auto _ : state) histogram.add(values, 0, moments);
  benchmark::DoNotOptimize(histogram.count());
  count_elements(state, values.size());
}
void BM_HistogramAndMoments(benchmark::State& state) {
  add_histogram_and_moments(state, normal_floats(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_HistogramAndMoments)->Apply(over_sizes);
void BM_HistogramAndMomentsAfterRelu(benchmark::State& state) {
  add_histogram_and_moments(state, relu_floats(static_cast<std::size_t>(state.range(0))));
}
BENCHMARK(BM_HistogramAndMomentsAfterRelu)->Apply(over_sizes);

void BM_CodeHistogram(benchmark::State& state) {
  const auto codes = codes_of(relu_floats(static_cast<std::size_t>(state.range(0))));
  CodeHistogram histogram;
  for (auto _ : state) histogram.add(codes);
  benchmark::DoNotOptimize(histogram.count());
  count_elements(state, codes.size());
}
BENCHMARK(BM_CodeHistogram)->Apply(over_sizes);

void BM_PairsU8(benchmark::State& state) {
  const std::vector<float> x = normal_floats(static_cast<std::size_t>(state.range(0)));
  const std::vector<std::uint8_t> y = codes_of(x);
  PairStats stats;
  for (auto _ : state) stats.add(0, x, y, kHow, kClip);
  benchmark::DoNotOptimize(stats.count());
  count_elements(state, x.size());
}
BENCHMARK(BM_PairsU8)->Apply(over_sizes);

void BM_PairsU8Counted(benchmark::State& state) {
  const std::vector<float> x = relu_floats(static_cast<std::size_t>(state.range(0)));
  const std::vector<std::uint8_t> y = codes_of(x);
  PairStats stats;
  FloatHistogram of_x;
  CodeHistogram of_y;
  for (auto _ : state)
    stats.add(0, x, y, CodeReading{.how = kHow, .clip = kClip}, {.x = of_x, .y = of_y});
  benchmark::DoNotOptimize(stats.count());
  count_elements(state, x.size());
}
BENCHMARK(BM_PairsU8Counted)->Apply(over_sizes);

void BM_PlainPairsU8(benchmark::State& state) {
  const std::vector<float> x = normal_floats(kChunk);
  const std::vector<std::uint8_t> y = codes_of(x);
  for (auto _ : state) {
    benchmark::DoNotOptimize(plain::chunk_pairs<std::uint8_t>({x, y, kHow, kClip}));
  }
  count_elements(state, x.size());
}
BENCHMARK(BM_PlainPairsU8);

void BM_PairsU8Clipped(benchmark::State& state) {
  const std::vector<float> x = normal_floats(kChunk);
  const std::vector<std::uint8_t> y = codes_of(x);
  for (auto _ : state) benchmark::DoNotOptimize(chunk_pairs(x, y, kHow, {-2, 2}));
  count_elements(state, x.size());
}
BENCHMARK(BM_PairsU8Clipped);

void BM_PairsFloat(benchmark::State& state) {
  const std::vector<float> x = normal_floats(static_cast<std::size_t>(state.range(0)));
  const std::vector<float> y = relu_floats(x.size());
  PairStats stats;
  for (auto _ : state) stats.add(0, x, y, kClip);
  benchmark::DoNotOptimize(stats.count());
  count_elements(state, x.size());
}
BENCHMARK(BM_PairsFloat)->Apply(over_sizes);

void BM_PlainPairsFloat(benchmark::State& state) {
  const std::vector<float> x = normal_floats(kChunk);
  const std::vector<float> y = relu_floats(x.size());
  for (auto _ : state) benchmark::DoNotOptimize(plain::chunk_pairs<float>({x, y, {}, kClip}));
  count_elements(state, x.size());
}
BENCHMARK(BM_PlainPairsFloat);

/// Arguments: elements, channels, inner.
void BM_Channels(benchmark::State& state) {
  const auto channels = static_cast<std::size_t>(state.range(1));
  const auto inner = static_cast<std::size_t>(state.range(2));
  const std::size_t outer =
      std::max<std::size_t>(1, static_cast<std::size_t>(state.range(0)) / (channels * inner));
  const std::vector<float> values = normal_floats(outer * channels * inner);
  ChannelMoments moments;
  for (auto _ : state) moments.add(values, {outer, channels, inner});
  benchmark::DoNotOptimize(moments.channels().data());
  count_elements(state, values.size());
}
void over_layouts(benchmark::internal::Benchmark* benchmark) {
  for (const int size : {1000, 10000, 100000, 1000000}) {
    benchmark->Args({size, 64, 1})->Args({size, 1, size})->Args({size, size / 49, 49});
  }
  benchmark->Args({1000000, 768, 1})->Args({1000000, 3, 1})->Args({1000000, 20, 50000});
  benchmark->Args({1000000, 5000, 1})->Args({100000, 11111, 9});
}
BENCHMARK(BM_Channels)->Apply(over_layouts);

void BM_PlainColumns(benchmark::State& state) {
  const std::vector<float> values = normal_floats(64 * 1000);
  ColumnMoments moments(64);
  for (auto _ : state) plain::add_rows(values, moments);
  benchmark::DoNotOptimize(moments.sum.data());
  count_elements(state, values.size());
}
BENCHMARK(BM_PlainColumns);

void BM_MergePairs(benchmark::State& state) {
  PairStats whole;
  PairStats part;
  const std::vector<float> x = normal_floats(1000);
  for (std::uint64_t sample = 0; sample < 64; ++sample) part.add(sample, x, x);
  for (auto _ : state) whole.merge(part);
  benchmark::DoNotOptimize(whole.count());
}
BENCHMARK(BM_MergePairs);

void BM_MergeHistograms(benchmark::State& state) {
  FloatHistogram whole;
  FloatHistogram part;
  part.add(normal_floats(100000));
  for (auto _ : state) whole.merge(part);
  benchmark::DoNotOptimize(whole.count());
}
BENCHMARK(BM_MergeHistograms);

}  // namespace
}  // namespace quantlens
