// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace quantlens {

/// Elements of one sample are summed in chunks of this many, each chunk in a fixed order of lanes
/// (element i of a chunk belongs to lane i modulo 8; lanes are added 0 to 7), in double; the chunk
/// sums then go to an ExactSum. Thus sums do not depend on threads or on the instruction set.
inline constexpr std::size_t kChunk = 16384;

/// Sums over one chunk of finite values; non-finite ones are counted and left out.
struct ChunkMoments {
  double sum = 0, sum_sq = 0;
  float min = 0, max = 0;  ///< 0 where finite == 0
  std::uint64_t finite = 0, nan = 0, inf = 0;
};

/// Sums over one chunk of pairs (x reference, y quantized after dequantization). The difference
/// x - y is taken in float32 and squared in double (exact), so that fused and unfused multiply-add
/// agree; a pair whose difference is not finite is counted in `nonfinite` and left out.
struct ChunkPairs {
  double sum_x = 0, sum_xx = 0, sum_y = 0, sum_yy = 0, sum_ee = 0;
  float min_x = 0, max_x = 0, min_y = 0, max_y = 0;  ///< 0 where finite == 0
  float max_abs_error = 0;
  std::uint64_t finite = 0, nonfinite = 0;
  std::uint64_t clipped = 0;  ///< x outside [clip_low, clip_high]
};

/// How 8-bit codes become floats: scale * (code - zero_point), in float32 arithmetic.
/// REQUIRES where used: |zero_point| <= 2^24.
struct Dequantize8 {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// The range outside which a reference value counts as clipped; infinite where nothing clips.
struct ClipRange {
  float low;
  float high;
};

/// REQUIRES (all): at most kChunk elements; x and y of equal size.
/// Vectorised with run-time dispatch; each equals its plain loop in `kernels_plain.h` bit for bit.
ChunkMoments chunk_moments(std::span<const float> x);
ChunkPairs chunk_pairs(std::span<const float> x, std::span<const float> y, ClipRange clip);
ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                       ClipRange clip);
ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                       ClipRange clip);

/// out[i] = x[i] - y[i] after dequantization, in float32. REQUIRES: equal sizes of any length.
void pair_errors(std::span<const float> x, std::span<const float> y, std::span<float> out);
void pair_errors(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                 std::span<float> out);
void pair_errors(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                 std::span<float> out);

/// Moments of every run of `length` elements of x: out[i] is chunk_moments of the i-th run.
/// REQUIRES: 1 <= length <= kChunk; x holds out.size() runs.
void run_moments(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out);

/// Where FloatHistogram counts the values of one sign. A position is found by the bits of a value's
/// magnitude: 8 counters for each exponent below `first_fine`, and 256 for each of nine from there
/// on. Negative values have as many counters behind those.
struct BinLayout {
  std::int32_t first_fine = 1;  ///< 1..254, the exponent bits of a float

  std::int32_t side() const { return 8 * first_fine + 9 * 256; }
  /// Off the top 16 bits of a magnitude, for its position where its exponent is fine.
  std::int32_t fine_offset() const { return (256 - 8) * first_fine; }
  /// The larger of the two is the one that holds: both agree where the fine ones begin, and the
  /// fine one is the steeper.
  std::int32_t position(std::uint32_t magnitude) const {
    const auto coarse = static_cast<std::int32_t>(magnitude >> 20);
    const std::int32_t fine = static_cast<std::int32_t>(magnitude >> 15) - fine_offset();
    return coarse > fine ? coarse : fine;
  }
};

/// Counters by a layout, and which values they count: normal ones whose exponent is at most `top`,
/// negative ones only where `negatives`.
struct BinCounters {
  BinLayout layout;
  std::int32_t top = 0;    ///< 0: none
  bool negatives = false;  ///< whether there are counters for them
  std::uint32_t* counts = nullptr;

  /// The bits of a float that are seen as its magnitude: a sign that is not expected makes it huge.
  std::uint32_t seen() const { return negatives ? 0x7fffffff : 0xffffffff; }
  std::uint32_t limit() const { return static_cast<std::uint32_t>(top + 1) << 23; }
};

/// What became of a chunk's values.
struct BinnedChunk {
  std::size_t counted = 0;
  bool complete =
      true;  ///< whether all others are zeros or subnormals, and no -0.0 unless expected
};

/// Raises the counters of x's values. REQUIRES: no counter overflows.
BinnedChunk count_bins(std::span<const float> x, const BinCounters& bins);
/// The same, and chunk_moments(x) on the way: together they cost little more than either.
ChunkMoments chunk_moments(std::span<const float> x, const BinCounters& bins, BinnedChunk& found);

/// Counters of 8-bit codes. Equal codes often follow each other, and each addition to a counter
/// waits for the last one to the same: neighbours count in different tables, whose sum is meant.
struct CodeCounters {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
};

/// What counts a chunk's pairs while they are summed.
struct PairCounters {
  BinCounters bins;     ///< of x
  BinnedChunk found;    ///< what became of x there; given back
  CodeCounters* codes;  ///< of y; int8 codes as the bytes that they are
};

/// The chunk_pairs above, and raises these counters on the way: together they cost much less.
ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::uint8_t> y, Dequantize8 how,
                       ClipRange clip, PairCounters& counters);
ChunkPairs chunk_pairs(std::span<const float> x, std::span<const std::int8_t> y, Dequantize8 how,
                       ClipRange clip, PairCounters& counters);

/// Moments of each column of a row-major table, one entry a column. Each column is summed from its
/// first row to its last, in double, in one lane.
struct ColumnMoments {
  explicit ColumnMoments(std::size_t columns) { clear(columns); }
  /// No rows of so many columns.
  void clear(std::size_t columns) {
    rows = 0;
    sum.assign(columns, 0);
    sum_sq.assign(columns, 0);
    min.assign(columns, std::numeric_limits<float>::infinity());
    max.assign(columns, -std::numeric_limits<float>::infinity());
    nonfinite.assign(columns, 0);
  }
  std::uint64_t rows = 0;
  std::vector<double> sum, sum_sq;
  std::vector<float> min, max;           ///< of finite values; +inf and -inf where there are none
  std::vector<std::uint64_t> nonfinite;  ///< counted and left out of all else
};

/// Adds the rows of `table` to `moments`. REQUIRES: moments has columns, and `table` whole rows.
void add_rows(std::span<const float> table, ColumnMoments& moments);

}  // namespace quantlens
