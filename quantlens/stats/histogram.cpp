// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

constexpr std::size_t kFine = 256;  // bins of an octave
constexpr std::size_t kCoarse = 8;  // bins of a folded one
constexpr int kFineOctaves = 8;     // this far below the largest, octaves are still fine
constexpr int kMaxExponent = 254;   // 255 is for NaN and the infinities

template <class From>
void add_folded(std::span<const From> from, std::span<std::uint64_t> to) {
  const std::size_t step = from.size() / to.size();
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (const From count : from.subspan(i * step, step)) to[i] += count;
  }
}

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
    add_folded(std::span<const std::uint64_t>(counts), std::span(folded));
    counts = std::move(folded);
  }
}

std::vector<std::uint64_t>& FloatHistogram::octave(int key) {
  std::vector<std::uint64_t>& counts = octaves_[key];
  if (counts.empty()) counts.resize(bins_of(key));
  return counts;
}

template <class Count>
void FloatHistogram::add_counts(int key, std::span<const Count> counts) {
  raise_top(std::abs(key));
  add_folded(counts, std::span(octave(key)));
}

/// Counts at full speed in a small table on the stack, whatever the histogram looks like: pages of
/// 256 counters, claimed as octaves turn up; `flush` moves them to the histogram.
class FloatHistogram::Tally {
 public:
  explicit Tally(FloatHistogram& target) : target_(target) {
    for (auto& pages : page_of_) {
      pages.fill(nullptr);
      pages[255] = pages[511] = rejected_.data();
    }
  }

  /// REQUIRES: fewer than 2^32 values in all.
  void add(std::span<const float> values) {
    std::size_t i = 0;
    for (; i + kWays <= values.size(); i += kWays) {
      count<0>(values[i]);
      count<1>(values[i + 1]);
      count<2>(values[i + 2]);
      count<3>(values[i + 3]);
    }
    for (; i < values.size(); ++i) count<0>(values[i]);
  }

  void flush() {
    int top = 0;
    for (std::size_t page = 0; page < used_; ++page) top = std::max(top, std::abs(key_[page]));
    target_.raise_top(top);  // first, so that no octave is made fine only to be folded
    for (std::size_t page = 0; page < used_; ++page) {
      target_.add_counts(key_[page], std::span<const std::uint32_t>(pages_[page]));
    }
  }

 private:
  // Values in turn use one of four tables, which differ in the zero bin only: many tensors are half
  // zeros, and one counter raised at every turn would make each addition wait for the last.
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kPages = 64;
  using Page = std::array<std::uint32_t, kFine>;

  template <std::size_t kWay>
  void count(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t* page = page_of_[kWay][bits >> 23];
    if (page == nullptr) [[unlikely]]
      page = claim(bits, kWay);
    ++page[bits >> 15 & 0xff];
  }

  /// A page for the octave of `bits`; where all are taken, counts the value at once and gives the
  /// page that is thrown away.
  std::uint32_t* claim(std::uint32_t bits, std::size_t way);

  FloatHistogram& target_;
  Page rejected_;  // NaN and the infinities
  std::size_t used_ = 0;
  std::array<std::array<std::uint32_t*, 512>, kWays> page_of_;
  std::array<int, kPages> key_;
  std::array<Page, kPages> pages_;  // the first `used_` are filled
};

std::uint32_t* FloatHistogram::Tally::claim(std::uint32_t bits, std::size_t way) {
  const std::uint32_t octave = bits >> 23;
  const int exponent = static_cast<int>(octave & 0xff);
  const int key = octave < 256 ? exponent : -exponent;
  if (used_ == kPages) {
    target_.raise_top(exponent);
    std::vector<std::uint64_t>& counts = target_.octave(key);
    ++counts[(bits >> 15 & 0xff) / (kFine / counts.size())];
    return rejected_.data();
  }
  Page& page = pages_[used_];
  page.fill(0);
  key_[used_++] = key;
  if (exponent == 0) {
    page_of_[way][0] = page_of_[way][256] = page.data();
  } else {
    for (auto& pages : page_of_) pages[octave] = page.data();
  }
  return page.data();
}

void FloatHistogram::add(std::span<const float> values) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  for (std::size_t at = 0; at < values.size(); at += kMost) {
    Tally tally(*this);
    tally.add(values.subspan(at, std::min(kMost, values.size() - at)));
    tally.flush();
  }
}

void FloatHistogram::merge(const FloatHistogram& other) {
  if (&other == this) {
    merge(FloatHistogram(other));
    return;
  }
  raise_top(other.top_);
  for (const auto& [key, counts] : other.octaves_) {
    add_counts(key, std::span<const std::uint64_t>(counts));
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
