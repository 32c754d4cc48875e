// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "quantlens/stats/exact_sum.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/kernels.h"
#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/pair_sums.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// How 8-bit codes are read: what they mean, and which reference values they cannot hold.
struct CodeReading {
  Dequantize8 how;
  ClipRange clip;
};

/// Told after each chunk of a sample's pairs how many of its elements are done: who looks at them
/// again finds them in the cache.
using ChunkDone = std::function<void(std::size_t)>;

/// Where the two sides of pairs are counted.
struct PairHistograms {
  FloatHistogram& x;
  CodeHistogram& y;
  ChunkDone done = {};
};

/// Sums over pairs (x reference, y quantized after dequantization) of one value, apart for each
/// block of samples; every distance of docs/metrics.md is derived from them. One pass, merges
/// exactly.
class PairStats {
 public:
  struct Block {
    std::uint64_t finite = 0, nonfinite = 0, clipped = 0;
    ExactSum x, xx, y, yy, ee;  ///< sums of x, x^2, y, y^2, (x-y)^2
    bool operator==(const Block&) const = default;
  };
  struct Extremes {
    float min_x = std::numeric_limits<float>::infinity();
    float max_x = -std::numeric_limits<float>::infinity();
    float min_y = std::numeric_limits<float>::infinity();
    float max_y = -std::numeric_limits<float>::infinity();
    float max_abs_error = 0;
    bool operator==(const Extremes&) const = default;
  };

  /// All pairs that `sample` contributes. REQUIRES: equal sizes.
  void add(std::uint64_t sample, std::span<const float> x, std::span<const float> y,
           ClipRange clip = kNoClip, const ChunkDone& done = {});
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
           Dequantize8 how, ClipRange clip);
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
           Dequantize8 how, ClipRange clip);
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
           CodeReading reading, const ChunkDone& done);
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
           CodeReading reading, const ChunkDone& done);
  /// These two count both sides as well, in one pass.
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
           CodeReading reading, const PairHistograms& to);
  void add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
           CodeReading reading, const PairHistograms& to);
  /// So many of the pairs that were added of this sample have an x outside the quantized range, for
  /// who added them with kNoClip: where each channel has its own range.
  void add_clipped(std::uint64_t sample, std::uint64_t count);
  void merge(const PairStats& other);
  /// Makes all blocks of samples one: its sums, extremes and worst samples stay, for who needs no
  /// intervals.
  void join_blocks();

  std::uint64_t count() const;      ///< finite pairs
  std::uint64_t nonfinite() const;  ///< pairs with a NaN or an infinity
  const Extremes& extremes() const { return extremes_; }
  const std::array<Block, kBlocks>& blocks() const { return blocks_; }
  const WorstSamples& worst() const { return worst_; }  ///< by their sum of (x-y)^2

  PairSums sums() const;  ///< over all blocks, each rounded once

  /// Where there are pairs and none is finite, errors are infinite: mse +inf, sqnr -inf, cosine 0.
  bool is_all_nonfinite() const { return count() == 0 && nonfinite() > 0; }
  double mse() const;             ///< mean (x-y)^2; 0 where empty
  double mse_normalized() const;  ///< each side min-max normalised first; 0 where a range is 0
  double sqnr_db() const;         ///< 10 log10(sum x^2 / sum (x-y)^2); +inf where equal
  double cosine() const;          ///< -1..1; 1 where both are all zero, 0 where one is
  double clip_rate() const;       ///< share of x outside the quantized range
  double mean_x() const;
  double mean_y() const;
  double variance_x() const;
  double variance_y() const;

  bool operator==(const PairStats&) const = default;
  void append_to(std::string& out) const;
  static PairStats take_from(std::string_view& in);

  /// What errors and energies are told by alone: of each block its counts and the sums of x^2 and
  /// (x-y)^2, and the sums of x and of y over all blocks, which are read back as the first one's.
  /// Of all else nothing is kept.
  void append_errors_to(std::string& out) const;
  static PairStats take_errors_from(std::string_view& in);

  static constexpr ClipRange kNoClip{-std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::infinity()};

 private:
  template <class Code>
  void add_counted(std::uint64_t sample, const plain::PairSpan<Code>& pairs,
                   const PairHistograms& to);
  Block total() const;  // all blocks together

  Extremes extremes_;
  WorstSamples worst_;
  std::array<Block, kBlocks> blocks_;
};

}  // namespace quantlens
