// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/kernels.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::awkward_floats;
using drawn::normal_floats;
using drawn::random_codes;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr ClipRange kNoClip{-kInf, kInf};

/// Runs `test` once on every instruction set of this machine.
void on_every_target(const std::function<void()>& test) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t left = supported; left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

void expect_same_bits(const ChunkMoments& a, const ChunkMoments& b) {
  EXPECT_EQ(bits(a.sum), bits(b.sum));
  EXPECT_EQ(bits(a.sum_sq), bits(b.sum_sq));
  EXPECT_EQ(bits(a.min), bits(b.min));
  EXPECT_EQ(bits(a.max), bits(b.max));
  EXPECT_EQ(a.finite, b.finite);
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.inf, b.inf);
}

void expect_same_bits(const ChunkPairs& a, const ChunkPairs& b) {
  EXPECT_EQ(bits(a.sum_x), bits(b.sum_x));
  EXPECT_EQ(bits(a.sum_xx), bits(b.sum_xx));
  EXPECT_EQ(bits(a.sum_y), bits(b.sum_y));
  EXPECT_EQ(bits(a.sum_yy), bits(b.sum_yy));
  EXPECT_EQ(bits(a.sum_ee), bits(b.sum_ee));
  EXPECT_EQ(bits(a.min_x), bits(b.min_x));
  EXPECT_EQ(bits(a.max_x), bits(b.max_x));
  EXPECT_EQ(bits(a.min_y), bits(b.min_y));
  EXPECT_EQ(bits(a.max_y), bits(b.max_y));
  EXPECT_EQ(bits(a.max_abs_error), bits(b.max_abs_error));
  EXPECT_EQ(a.finite, b.finite);
  EXPECT_EQ(a.nonfinite, b.nonfinite);
  EXPECT_EQ(a.clipped, b.clipped);
}

/// Tensors of every small size, of sizes around a chunk, with and without NaN and infinities.
std::vector<std::vector<float>> tensors() {
  std::vector<std::vector<float>> all;
  for (std::size_t size = 0; size < 70; ++size) {
    all.push_back(awkward_floats(size, size));
    all.push_back(normal_floats(size, size));
  }
  for (const std::size_t size : {1000ul, 4095ul, kChunk - 1, kChunk}) {
    all.push_back(awkward_floats(size, size));
    all.push_back(normal_floats(size, size));
    all.push_back(normal_floats(size, size));
    all.back()[size / 3] = kNan;
    all.push_back(normal_floats(size, size));
    all.back()[size - 1] = -kInf;
    all.push_back(std::vector<float>(size, kInf));
    all.push_back(std::vector<float>(size, -0.0f));
    all.push_back(std::vector<float>(size, std::numeric_limits<float>::max()));
  }
  return all;
}

TEST(Kernels, OfMomentsEqualThePlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const auto& x : tensors()) expect_same_bits(chunk_moments(x), plain::chunk_moments(x));
  });
}

TEST(Kernels, OfPairsEqualThePlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const auto& x : tensors()) {
      for (const float noise : {0.0f, 0.01f, 1e30f}) {
        std::vector<float> y = normal_floats(x.size() + 7, x.size(), noise);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
        for (const ClipRange clip : {kNoClip, ClipRange{-0.5f, 1}, ClipRange{0, 0}}) {
          expect_same_bits(chunk_pairs(x, y, clip), plain::chunk_pairs<float>({x, y, {}, clip}));
        }
      }
    }
  });
}

TEST(Kernels, OfCodesEqualThePlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const auto& x : tensors()) {
      const auto u8 = random_codes<std::uint8_t>(x.size(), x.size());
      const auto i8 = random_codes<std::int8_t>(x.size(), x.size());
      for (const Dequantize8 how : {Dequantize8{0.037f, 113}, {1e-30f, 0}, {3e37f, -128}}) {
        for (const ClipRange clip : {kNoClip, ClipRange{-2, 2}}) {
          expect_same_bits(chunk_pairs(x, u8, how, clip),
                           plain::chunk_pairs<std::uint8_t>({x, u8, how, clip}));
          expect_same_bits(chunk_pairs(x, i8, how, clip),
                           plain::chunk_pairs<std::int8_t>({x, i8, how, clip}));
        }
      }
    }
  });
}

template <class Y>
void expect_same_errors(const std::vector<float>& x, const std::vector<float>& given,
                        const std::vector<Y>& y, Dequantize8 how) {
  std::vector<float> plain(x.size());
  plain::pair_errors(std::span(x), std::span(y), how, plain);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(given[i]), bits(plain[i])) << i;
}

TEST(Kernels, ErrorsEqualThePlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const std::size_t size : {0ul, 1ul, 15ul, 64ul, 1001ul}) {
      const std::vector<float> x = normal_floats(size, size);
      const std::vector<float> y = normal_floats(size + 1, size);
      const auto u8 = random_codes<std::uint8_t>(size, size);
      const auto i8 = random_codes<std::int8_t>(size, size);
      const Dequantize8 how{0.037f, -5};
      std::vector<float> errors(size);
      pair_errors(x, y, errors);
      expect_same_errors(x, errors, y, {});
      pair_errors(x, u8, how, errors);
      expect_same_errors(x, errors, u8, how);
      pair_errors(x, i8, how, errors);
      expect_same_errors(x, errors, i8, how);
    }
  });
}

TEST(Kernels, OfRunsEqualThoseOfEachRun) {
  on_every_target([] {
    for (const std::size_t length : {1ul, 7ul, 9ul, 49ul, 196ul, 1000ul}) {
      const std::vector<float> x = awkward_floats(length, 13 * length);
      std::array<ChunkMoments, 13> all;
      run_moments(x, length, all);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::span<const float> run = std::span(x).subspan(i * length, length);
        expect_same_bits(all[i], plain::chunk_moments(run));
      }
    }
  });
}

TEST(Kernels, OfRowsEqualThePlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const std::size_t columns : {1ul, 3ul, 8ul, 16ul, 37ul, 64ul, 600ul, 5000ul}) {
      for (const bool finite : {true, false}) {
        const std::size_t size = columns * 23;
        const auto table = finite ? normal_floats(columns, size) : awkward_floats(columns, size);
        ColumnMoments simd(columns);
        ColumnMoments plain(columns);
        for (int time = 0; time < 2; ++time) {
          add_rows(table, simd);
          plain::add_rows(table, plain);
        }
        for (std::size_t c = 0; c < columns; ++c) {
          EXPECT_EQ(bits(simd.sum[c]), bits(plain.sum[c]));
          EXPECT_EQ(bits(simd.sum_sq[c]), bits(plain.sum_sq[c]));
          EXPECT_EQ(bits(simd.min[c]), bits(plain.min[c]));
          EXPECT_EQ(bits(simd.max[c]), bits(plain.max[c]));
          EXPECT_EQ(simd.nonfinite[c], plain.nonfinite[c]);
        }
      }
    }
  });
}

TEST(Kernels, CountNonFiniteValuesAndLeaveThemOut) {
  on_every_target([] {
    std::vector<float> x(100, 2);
    x[3] = kNan;
    x[50] = kInf;
    x[99] = -kInf;
    const ChunkMoments moments = chunk_moments(x);
    EXPECT_EQ(moments.finite, 97u);
    EXPECT_EQ(moments.nan, 1u);
    EXPECT_EQ(moments.inf, 2u);
    EXPECT_EQ(moments.sum, 194);
    EXPECT_EQ(moments.max, 2);
  });
}

TEST(Kernels, LeaveOutAPairWhoseDifferenceOverflows) {
  on_every_target([] {
    constexpr float kMost = std::numeric_limits<float>::max();
    std::vector<float> x(40, 1);
    std::vector<float> y(40, 1);
    x[17] = kMost;
    y[17] = -kMost;
    const ChunkPairs pairs = chunk_pairs(x, y, kNoClip);
    EXPECT_EQ(pairs.finite, 39u);
    EXPECT_EQ(pairs.nonfinite, 1u);
    EXPECT_EQ(pairs.sum_ee, 0);
  });
}

TEST(Kernels, DoNotTellTheTwoZerosApart) {
  on_every_target([] {
    for (const std::size_t size : {3ul, 64ul}) {
      std::vector<float> x(size, 0.0f);
      x[1] = -0.0f;
      EXPECT_EQ(bits(chunk_moments(x).min), bits(0.0f));
      EXPECT_EQ(bits(chunk_moments(x).max), bits(0.0f));
    }
  });
}

/// Counters for values below 2^(top - 126), all at 0.
struct TestBins {
  explicit TestBins(std::int32_t top, bool negatives)
      : bins{.layout = {std::max(top - 8, 1)}, .top = top, .negatives = negatives},
        counts(2 * static_cast<std::size_t>(bins.layout.side())) {
    bins.counts = counts.data();
  }
  BinCounters bins;
  std::vector<std::uint32_t> counts;
};

void expect_same_bins(const std::vector<float>& x, std::int32_t top, bool negatives) {
  TestBins expected(top, negatives);
  BinnedChunk wanted;
  plain::count_bins(x, expected.bins, wanted);
  TestBins alone(top, negatives);
  TestBins with_moments(top, negatives);
  const BinnedChunk found = count_bins(x, alone.bins);
  BinnedChunk also_found;
  expect_same_bits(chunk_moments(x, with_moments.bins, also_found), plain::chunk_moments(x));
  EXPECT_EQ(alone.counts, expected.counts);
  EXPECT_EQ(with_moments.counts, expected.counts);
  EXPECT_EQ(found.counted, wanted.counted);
  EXPECT_EQ(also_found.counted, wanted.counted);
  EXPECT_EQ(found.complete, wanted.complete);
  EXPECT_EQ(also_found.complete, wanted.complete);
}

TEST(CountBins, EqualsItsPlainLoopOnEveryInstructionSet) {
  on_every_target([] {
    for (const std::size_t size : {0ul, 1ul, 15ul, 16ul, 17ul, 256ul, 272ul, 513ul, 16384ul}) {
      for (const std::int32_t top : {0, 1, 9, 127, 254}) {
        for (const bool negatives : {false, true}) {
          expect_same_bins(awkward_floats(size, size), top, negatives);
          expect_same_bins(normal_floats(size, size), top, negatives);
          expect_same_bins(std::vector<float>(size, -0.0f), top, negatives);
          expect_same_bins(std::vector<float>(size, 1.5f), top, negatives);
        }
      }
    }
  });
}

template <class Code>
void expect_same_counts(const plain::PairSpan<Code>& pairs) {
  CodeCounters codes;
  CodeCounters wanted_codes;
  TestBins bins(127, false);
  TestBins wanted_bins(127, false);
  PairCounters counters{.bins = bins.bins, .found = {}, .codes = &codes};
  PairCounters wanted{.bins = wanted_bins.bins, .found = {}, .codes = &wanted_codes};
  expect_same_bits(chunk_pairs(pairs.x, pairs.y, pairs.how, pairs.clip, counters),
                   plain::chunk_pairs(pairs));
  plain::count_pairs(pairs, wanted);
  EXPECT_EQ(bins.counts, wanted_bins.counts);
  EXPECT_EQ(counters.found.counted, wanted.found.counted);
  EXPECT_EQ(counters.found.complete, wanted.found.complete);
  for (std::size_t code = 0; code < 256; ++code) {
    std::uint32_t sum = 0;
    std::uint32_t wanted_sum = 0;
    for (std::size_t table = 0; table < 4; ++table) {
      sum += codes.tables[table][code];
      wanted_sum += wanted_codes.tables[table][code];
    }
    EXPECT_EQ(sum, wanted_sum);
  }
}

TEST(Kernels, OfCountedPairsEqualThePlainLoopsOnEveryInstructionSet) {
  on_every_target([] {
    for (const auto& x : tensors()) {
      const auto u8 = random_codes<std::uint8_t>(x.size(), x.size());
      const auto i8 = random_codes<std::int8_t>(x.size(), x.size());
      for (const ClipRange clip : {kNoClip, ClipRange{-2, 2}}) {
        expect_same_counts<std::uint8_t>({x, u8, {0.037f, 113}, clip});
        expect_same_counts<std::int8_t>({x, i8, {3e37f, -128}, clip});
      }
    }
  });
}

TEST(BinLayout, GivesEveryBinOfALayoutItsOwnPosition) {
  for (const std::int32_t first_fine : {1, 2, 119, 246}) {
    const BinLayout layout{first_fine};
    std::int32_t before = 7;  // the eight of exponent 0 are not used
    for (std::uint32_t bin = 1 << 8; bin < static_cast<std::uint32_t>(first_fine + 9) << 8; ++bin) {
      const bool fine = bin >> 8 >= static_cast<std::uint32_t>(first_fine);
      const bool first = fine || bin % 32 == 0;
      const std::int32_t position = layout.position(bin << 15);
      EXPECT_EQ(position, before + (first ? 1 : 0));
      before = position;
    }
    EXPECT_EQ(before + 1, layout.side());
  }
}

}  // namespace
}  // namespace quantlens
