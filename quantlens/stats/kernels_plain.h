// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "quantlens/stats/kernels.h"

namespace quantlens::plain {

// What every kernel of kernels.h computes, as plain loops: the definition that the vectorised ones
// must match bit for bit, the tail of their chunks, and the measure of their speed.

inline constexpr std::size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

inline double total(const Lanes& lanes) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// A chunk's moments while they grow; element i of the chunk belongs to lane i modulo kLanes.
struct MomentLanes {
  Lanes sum{}, sum_sq{};
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  std::uint64_t finite = 0, nan = 0, inf = 0;
};

inline void add(MomentLanes& lanes, std::span<const float> x, std::size_t begin) {
  for (std::size_t i = begin; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      ++lanes.nan;
    } else if (std::isinf(x[i])) {
      ++lanes.inf;
    } else {
      const double value = x[i];
      lanes.sum[i % kLanes] += value;
      lanes.sum_sq[i % kLanes] += value * value;
      lanes.min = std::min(lanes.min, x[i]);
      lanes.max = std::max(lanes.max, x[i]);
      ++lanes.finite;
    }
  }
}

/// An extreme as it is told: 0 where there is none, and 0.0 for -0.0, since which of the two zeros
/// won depends on the order.
inline float extreme(float value, std::uint64_t count) {
  return count == 0 ? 0 : value + 0.0f;
}

inline ChunkMoments finish(const MomentLanes& lanes) {
  return {.sum = total(lanes.sum),
          .sum_sq = total(lanes.sum_sq),
          .min = extreme(lanes.min, lanes.finite),
          .max = extreme(lanes.max, lanes.finite),
          .finite = lanes.finite,
          .nan = lanes.nan,
          .inf = lanes.inf};
}

inline ChunkMoments chunk_moments(std::span<const float> x) {
  MomentLanes lanes;
  add(lanes, x, 0);
  return finish(lanes);
}

/// The value that a code stands for; a float stands for itself.
inline float real(float y, Dequantize8) {
  return y;
}
template <class Code>
float real(Code y, Dequantize8 how) {
  return static_cast<float>(static_cast<std::int32_t>(y) - how.zero_point) * how.scale;
}

/// A chunk's pairs; Y is float, std::uint8_t or std::int8_t, and `how` is ignored for float.
template <class Y>
struct PairSpan {
  std::span<const float> x;
  std::span<const Y> y;
  Dequantize8 how;
  ClipRange clip;
};

/// A chunk's pair sums while they grow.
struct PairLanes {
  Lanes x{}, xx{}, y{}, yy{}, ee{};
  float min_x = std::numeric_limits<float>::infinity();
  float max_x = -std::numeric_limits<float>::infinity();
  float min_y = std::numeric_limits<float>::infinity();
  float max_y = -std::numeric_limits<float>::infinity();
  float max_abs_error = 0;
  std::uint64_t finite = 0, nonfinite = 0, clipped = 0;
};

inline void add_pair(PairLanes& lanes, std::size_t lane, float x, float y) {
  const float error = x - y;
  const double dx = x;
  const double dy = y;
  const double de = error;
  lanes.x[lane] += dx;
  lanes.xx[lane] += dx * dx;
  lanes.y[lane] += dy;
  lanes.yy[lane] += dy * dy;
  lanes.ee[lane] += de * de;
  lanes.min_x = std::min(lanes.min_x, x);
  lanes.max_x = std::max(lanes.max_x, x);
  lanes.min_y = std::min(lanes.min_y, y);
  lanes.max_y = std::max(lanes.max_y, y);
  lanes.max_abs_error = std::max(lanes.max_abs_error, std::abs(error));
  ++lanes.finite;
}

template <class Y>
void add(PairLanes& lanes, const PairSpan<Y>& pairs, std::size_t begin) {
  for (std::size_t i = begin; i < pairs.x.size(); ++i) {
    const float x = pairs.x[i];
    const float y = real(pairs.y[i], pairs.how);
    if (!std::isfinite(x - y)) {
      ++lanes.nonfinite;
      continue;
    }
    add_pair(lanes, i % kLanes, x, y);
    if (x < pairs.clip.low || x > pairs.clip.high) ++lanes.clipped;
  }
}

inline ChunkPairs finish(const PairLanes& lanes) {
  return {.sum_x = total(lanes.x),
          .sum_xx = total(lanes.xx),
          .sum_y = total(lanes.y),
          .sum_yy = total(lanes.yy),
          .sum_ee = total(lanes.ee),
          .min_x = extreme(lanes.min_x, lanes.finite),
          .max_x = extreme(lanes.max_x, lanes.finite),
          .min_y = extreme(lanes.min_y, lanes.finite),
          .max_y = extreme(lanes.max_y, lanes.finite),
          .max_abs_error = lanes.max_abs_error,
          .finite = lanes.finite,
          .nonfinite = lanes.nonfinite,
          .clipped = lanes.clipped};
}

template <class Y>
ChunkPairs chunk_pairs(const PairSpan<Y>& pairs) {
  PairLanes lanes;
  add(lanes, pairs, 0);
  return finish(lanes);
}

template <class Y>
void pair_errors(std::span<const float> x, std::span<const Y> y, Dequantize8 how,
                 std::span<float> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] - real(y[i], how);
}

inline void run_moments(std::span<const float> x, std::size_t length, std::span<ChunkMoments> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = plain::chunk_moments(x.subspan(i * length, length));
  }
}

inline constexpr std::uint32_t kMagnitude = 0x7fffffff;    // all bits of a float but its sign
inline constexpr std::uint32_t kLeastNormal = 0x00800000;  // 2^-126
inline constexpr std::uint32_t kInfinity = 0x7f800000;

inline void count_bins(std::span<const float> x, const BinCounters& bins, BinnedChunk& found) {
  for (const float value : x) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & bins.seen();
    if (magnitude >= bins.limit()) found.complete = false;
    if (magnitude < kLeastNormal || magnitude >= bins.limit()) continue;
    const std::int32_t position = bins.layout.position(magnitude);
    ++bins.counts[bits > kMagnitude ? position + bins.layout.side() : position];
    ++found.counted;
  }
}

/// Eight codes in turn.
inline void count_eight(const void* codes, CodeCounters& counters) {
  std::uint64_t eight;
  std::memcpy(&eight, codes, sizeof eight);
  auto& tables = counters.tables;
  ++tables[0][eight & 0xff];
  ++tables[1][eight >> 8 & 0xff];
  ++tables[2][eight >> 16 & 0xff];
  ++tables[3][eight >> 24 & 0xff];
  ++tables[0][eight >> 32 & 0xff];
  ++tables[1][eight >> 40 & 0xff];
  ++tables[2][eight >> 48 & 0xff];
  ++tables[3][eight >> 56];
}

inline void count_codes(std::span<const std::uint8_t> codes, CodeCounters& counters) {
  std::size_t i = 0;
  for (; i + 8 <= codes.size(); i += 8) count_eight(codes.data() + i, counters);
  for (; i < codes.size(); ++i) ++counters.tables[0][codes[i]];
}

/// Codes of 8 bits as the bytes that they are.
template <class Code>
std::span<const std::uint8_t> bytes_of(std::span<const Code> codes) {
  return {reinterpret_cast<const std::uint8_t*>(codes.data()), codes.size()};
}

template <class Code>
void count_pairs(const PairSpan<Code>& pairs, PairCounters& counters) {
  count_bins(pairs.x, counters.bins, counters.found);
  count_codes(bytes_of(pairs.y), *counters.codes);
}

/// The columns first..last-1 of a table.
inline void add_rows(std::span<const float> table, ColumnMoments& moments, std::size_t first,
                     std::size_t last) {
  for (std::size_t row = 0; row < table.size(); row += moments.sum.size()) {
    for (std::size_t c = first; c < last; ++c) {
      const float x = table[row + c];
      if (!std::isfinite(x)) {
        ++moments.nonfinite[c];
        continue;
      }
      const double value = x;
      moments.sum[c] += value;
      moments.sum_sq[c] += value * value;
      moments.min[c] = std::min(moments.min[c], x + 0.0f);
      moments.max[c] = std::max(moments.max[c], x + 0.0f);
    }
  }
}

inline void add_rows(std::span<const float> table, ColumnMoments& moments) {
  plain::add_rows(table, moments, 0, moments.sum.size());
  moments.rows += table.size() / moments.sum.size();
}

}  // namespace quantlens::plain
