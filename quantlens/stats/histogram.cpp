// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/moments.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

constexpr int kFineOctaves = 8;    // this far below the largest, octaves are still fine
constexpr int kMaxExponent = 254;  // 255 is for NaN and the infinities
constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32;  // counts_ hold less in all

}  // namespace

BinLayout FloatHistogram::layout() const {
  return {.first_fine = std::max(top_ - kFineOctaves, 1)};
}

std::size_t FloatHistogram::bins_of(int key) const {
  if (key == 0) return 1;
  return std::abs(key) < top_ - kFineOctaves ? kCoarse : kFine;
}

bool FloatHistogram::has_negatives() const {
  return counts_.size() > static_cast<std::size_t>(layout().side());
}

std::size_t FloatHistogram::begin_of(int key) const {
  const auto magnitude = static_cast<std::uint32_t>(std::abs(key)) << 23;
  return static_cast<std::size_t>(layout().position(magnitude) + (key < 0 ? layout().side() : 0));
}

/// Calls `function` for each octave with a count; the zero bin is one.
template <class Function>
void FloatHistogram::for_each_octave(const Function& function) const {
  Octave octave;
  for (octave.key = has_negatives() ? -top_ : 0; octave.key <= top_; ++octave.key) {
    octave.bins = bins_of(octave.key);
    std::uint64_t any = octave.counts[0] = zeros_;
    if (octave.key != 0) {
      any = 0;
      const std::size_t begin = begin_of(octave.key);
      for (std::size_t i = 0; i < octave.bins; ++i) {
        octave.counts[i] = counts_[begin + i] + (wide_.empty() ? 0 : wide_[begin + i]);
        any |= octave.counts[i];
      }
    }
    if (any != 0) function(octave);
  }
}

/// Where the largest exponent grows, octaves that now lie too far below it are folded.
void FloatHistogram::fit(int top, bool negative) {
  if (!counts_.empty() && top <= top_ && has_negatives() >= negative) return;
  FloatHistogram grown;
  grown.top_ = std::max(top, top_);
  grown.zeros_ = zeros_;
  const auto side = static_cast<std::size_t>(grown.layout().side());
  grown.counts_.resize(negative || has_negatives() ? 2 * side : side);
  for_each_octave([&grown](const Octave& octave) {
    if (octave.key != 0) grown.add_octave(octave);
  });
  *this = std::move(grown);
}

/// REQUIRES: the counters fit it.
void FloatHistogram::add_octave(const Octave& octave) {
  if (octave.key == 0) {
    zeros_ += octave.counts[0];
    return;
  }
  const std::size_t begin = begin_of(octave.key);
  const std::size_t step = std::max<std::size_t>(octave.bins / bins_of(octave.key), 1);
  for (std::size_t i = 0; i < octave.bins; ++i) put(begin + i / step, octave.counts[i]);
}

void FloatHistogram::put(std::size_t position, std::uint64_t count) {
  if (count < kNarrow - pending_) {
    counts_[position] += static_cast<std::uint32_t>(count);
    pending_ += count;
    return;
  }
  if (wide_.empty()) wide_.resize(counts_.size());
  wide_[position] += count;
}

void FloatHistogram::spill() {
  if (wide_.empty()) wide_.resize(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) wide_[i] += counts_[i];
  std::ranges::fill(counts_, 0);
  pending_ = 0;
}

BinCounters FloatHistogram::counters_for(std::size_t count) {
  if (count >= kNarrow - pending_) spill();
  return {.layout = layout(), .top = top_, .negatives = has_negatives(), .counts = counts_.data()};
}

/// Adds what `bins` could not count: zeros, and values of octaves that have no counters yet.
void FloatHistogram::take_chunk(std::span<const float> chunk, const BinCounters& bins,
                                const BinnedChunk& found) {
  pending_ += found.counted;
  if (found.complete) {
    zeros_ += chunk.size() - found.counted;
    return;
  }
  std::uint32_t greatest = 0;
  std::uint32_t signs = 0;
  for (const float value : chunk) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & plain::kMagnitude;
    const bool finite = magnitude < plain::kInfinity;
    zeros_ += magnitude < plain::kLeastNormal ? 1 : 0;
    greatest = std::max(greatest, finite ? magnitude : 0);
    signs |= finite ? bits : 0;
  }
  const bool negative = signs > plain::kMagnitude;
  if (greatest < bins.limit() && (bins.negatives || !negative)) return;
  fit(static_cast<int>(greatest >> 23), negative);
  const BinCounters now = counters_for(chunk.size());
  BinnedChunk rest;
  for (const float value : chunk) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & plain::kMagnitude;
    const bool normal = magnitude >= plain::kLeastNormal && magnitude < plain::kInfinity;
    if (normal && (bits & bins.seen()) >= bins.limit()) plain::count_bins({&value, 1}, now, rest);
  }
  pending_ += rest.counted;
}

void FloatHistogram::add(std::span<const float> values) {
  add_by(values, count_bins);
}

void FloatHistogram::add(std::span<const float> values, std::uint64_t sample, Moments& moments) {
  SampleExtremes extremes;
  add_by(values, [&](std::span<const float> chunk, const BinCounters& bins) {
    BinnedChunk found;
    const ChunkMoments sums = chunk_moments(chunk, bins, found);
    moments.add_chunk(sample, sums);
    extremes.add(sums);
    return found;
  });
  moments.end_sample(extremes);
}

void FloatHistogram::merge(const FloatHistogram& other) {
  if (&other == this) {
    merge(FloatHistogram(other));
    return;
  }
  if (!other.counts_.empty()) fit(other.top_, other.has_negatives());
  other.for_each_octave([this](const Octave& octave) { add_octave(octave); });
}

bool FloatHistogram::operator==(const FloatHistogram& other) const {
  std::string mine;
  std::string others;
  append_to(mine);
  other.append_to(others);
  return mine == others;
}

std::uint64_t FloatHistogram::count() const {
  return std::accumulate(wide_.begin(), wide_.end(), zeros_ + pending_);
}

std::vector<FloatHistogram::Bin> FloatHistogram::bins() const {
  std::vector<Bin> bins;
  for_each_octave([&bins](const Octave& octave) {
    const auto& [key, size, counts] = octave;
    if (key == 0) {
      constexpr double kLeastNormal = 0x1p-126;
      bins.push_back({-kLeastNormal, kLeastNormal, counts[0]});
      return;
    }
    const double edge = std::ldexp(1.0, std::abs(key) - 127);
    const double width = edge / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t bin = key > 0 ? i : size - 1 - i;
      if (counts[bin] == 0) continue;
      const double near = edge + width * static_cast<double>(bin);
      const double far = edge + width * static_cast<double>(bin + 1);
      bins.push_back(key > 0 ? Bin{near, far, counts[bin]} : Bin{-far, -near, counts[bin]});
    }
  });
  return bins;
}

double FloatHistogram::quantile(double p) const {
  return quantile_of_bins(bins(), p);
}

double quantile_of_bins(std::span<const FloatHistogram::Bin> bins, double p) {
  std::uint64_t count = 0;
  for (const FloatHistogram::Bin& bin : bins) count += bin.count;
  const double wanted = std::clamp(p, 0.0, 1.0) * static_cast<double>(count);
  double below = 0;
  double value = 0;
  for (const FloatHistogram::Bin& bin : bins) {
    const double inside = static_cast<double>(bin.count);
    const double share = std::min(1.0, (wanted - below) / inside);
    value = bin.low == -bin.high ? 0 : bin.low + share * (bin.high - bin.low);
    below += inside;
    if (below >= wanted) break;
  }
  return value;
}

void FloatHistogram::append_to(std::string& out) const {
  std::uint64_t octaves = 0;
  for_each_octave([&octaves](const Octave&) { ++octaves; });
  append_varint(out, octaves);
  if (octaves == 0) return;
  append_u8(out, static_cast<std::uint8_t>(top_));
  for_each_octave([&out](const Octave& octave) {
    append_u8(out, static_cast<std::uint8_t>(octave.key < 0));
    append_u8(out, static_cast<std::uint8_t>(std::abs(octave.key)));
    for (std::size_t i = 0; i < octave.bins; ++i) append_varint(out, octave.counts[i]);
  });
}

FloatHistogram FloatHistogram::take_from(std::string_view& in) {
  FloatHistogram histogram;
  const std::size_t count = take_count(in, 3);
  if (count == 0) return histogram;
  const int declared_top = take_u8(in);
  if (declared_top > kMaxExponent) refuse_bytes("a histogram has an octave that no float has");
  histogram.fit(declared_top, false);
  int top = 0;
  Octave octave;
  for (std::size_t i = 0; i < count; ++i) {
    const int before = octave.key;
    const std::uint8_t sign = take_u8(in);
    const int exponent = take_u8(in);
    octave.key = sign == 0 ? exponent : -exponent;
    if (sign > 1 || exponent > declared_top || (sign == 1 && exponent == 0)) {
      refuse_bytes("a histogram has an octave that no float has");
    }
    if (i != 0 && octave.key <= before) refuse_bytes("a histogram's octaves are out of order");
    octave.bins = histogram.bins_of(octave.key);
    std::uint64_t any = 0;
    for (std::size_t bin = 0; bin < octave.bins; ++bin) {
      any |= octave.counts[bin] = take_element_count(in);
    }
    if (any == 0) refuse_bytes("a histogram has an empty octave");
    top = std::max(top, exponent);
    if (octave.key < 0) histogram.fit(top, true);
    histogram.add_octave(octave);
  }
  if (top != declared_top) refuse_bytes("a histogram's largest octave is missing");
  if (top == 0) histogram.counts_.clear();
  return histogram;
}

}  // namespace quantlens
