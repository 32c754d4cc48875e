// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/moments_of.h"
#include "quantlens/stats/octave.h"

namespace quantlens {

namespace {

constexpr int kFineOctaves = 8;    // this far below the largest, octaves are still fine
constexpr int kMaxExponent = 254;  // 255 is for NaN and the infinities

}  // namespace

std::size_t FloatHistogram::bins_of(int key) const {
  if (key == 0) return 1;
  return std::abs(key) < top_ - kFineOctaves ? kCoarse : kFine;
}

void FloatHistogram::raise_top(int exponent) {
  if (exponent <= top_) return;
  top_ = exponent;
  for (auto& [key, counts] : octaves_) {
    if (counts.size() == bins_of(key)) continue;
    std::vector<std::uint64_t> folded(bins_of(key));
    add_fine(counts.data(), folded);
    counts = std::move(folded);
  }
}

std::vector<std::uint64_t>& FloatHistogram::octave(int key) {
  std::vector<std::uint64_t>& counts = octaves_[key];
  if (counts.empty()) counts.resize(bins_of(key));
  return counts;
}

void FloatHistogram::merge(const FloatHistogram& other) {
  if (&other == this) {
    merge(FloatHistogram(other));
    return;
  }
  raise_top(other.top_);
  for (const auto& [key, counts] : other.octaves_) {
    std::vector<std::uint64_t>& mine = octave(key);
    if (mine.size() == counts.size()) {
      for (std::size_t i = 0; i < counts.size(); ++i) mine[i] += counts[i];
    } else {
      add_fine(counts.data(), mine);
    }
  }
}

std::uint64_t FloatHistogram::count() const {
  std::uint64_t count = 0;
  for (const auto& [key, counts] : octaves_) {
    count = std::accumulate(counts.begin(), counts.end(), count);
  }
  return count;
}

std::vector<FloatHistogram::Bin> FloatHistogram::bins() const {
  std::vector<Bin> bins;
  for (const auto& [key, counts] : octaves_) {
    if (key == 0) {
      constexpr double kLeastNormal = 0x1p-126;
      bins.push_back({-kLeastNormal, kLeastNormal, counts[0]});
      continue;
    }
    const double edge = std::ldexp(1.0, std::abs(key) - 127);
    const double width = edge / static_cast<double>(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t bin = key > 0 ? i : counts.size() - 1 - i;
      if (counts[bin] == 0) continue;
      const double near = edge + width * static_cast<double>(bin);
      const double far = edge + width * static_cast<double>(bin + 1);
      bins.push_back(key > 0 ? Bin{near, far, counts[bin]} : Bin{-far, -near, counts[bin]});
    }
  }
  return bins;
}

double FloatHistogram::quantile(double p) const {
  const double wanted = std::clamp(p, 0.0, 1.0) * static_cast<double>(count());
  double below = 0;
  double value = 0;
  for (const Bin& bin : bins()) {
    const double inside = static_cast<double>(bin.count);
    const double share = std::min(1.0, (wanted - below) / inside);
    value = bin.low == -bin.high ? 0 : bin.low + share * (bin.high - bin.low);
    below += inside;
    if (below >= wanted) break;
  }
  return value;
}

void FloatHistogram::append_to(std::string& out) const {
  append_varint(out, octaves_.size());
  if (octaves_.empty()) return;
  append_u8(out, static_cast<std::uint8_t>(top_));
  for (const auto& [key, counts] : octaves_) {
    append_u8(out, static_cast<std::uint8_t>(key < 0));
    append_u8(out, static_cast<std::uint8_t>(std::abs(key)));
    for (const std::uint64_t count : counts) append_varint(out, count);
  }
}

FloatHistogram FloatHistogram::take_from(std::string_view& in) {
  FloatHistogram histogram;
  const std::size_t count = take_count(in, 3);
  if (count == 0) return histogram;
  histogram.top_ = take_u8(in);
  int top = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t sign = take_u8(in);
    const int exponent = take_u8(in);
    const int key = sign == 0 ? exponent : -exponent;
    if (sign > 1 || exponent > std::min(histogram.top_, kMaxExponent) || (sign == 1 && key == 0)) {
      refuse_bytes("a histogram has an octave that no float has");
    }
    if (!histogram.octaves_.empty() && key <= histogram.octaves_.rbegin()->first) {
      refuse_bytes("a histogram's octaves are out of order");
    }
    std::vector<std::uint64_t> counts(histogram.bins_of(key));
    std::uint64_t any = 0;
    for (std::uint64_t& bin : counts) any |= bin = take_element_count(in);
    if (any == 0) refuse_bytes("a histogram has an empty octave");
    top = std::max(top, exponent);
    histogram.octaves_.emplace_hint(histogram.octaves_.end(), key, std::move(counts));
  }
  if (top != histogram.top_) refuse_bytes("a histogram's largest octave is missing");
  return histogram;
}

}  // namespace quantlens
