// SPDX-License-Identifier: Apache-2.0
// FloatHistogram::add: counting at full speed. Small tensors are counted straight into the
// histogram through a table of its octaves; large ones in 32-bit counters on the stack, added up at
// the end.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "quantlens/stats/histogram.h"
#include "quantlens/stats/octave.h"

namespace quantlens {

namespace {

// Octaves are numbered here by the top 9 bits of a float.
constexpr std::uint32_t kOctaves = 512;

int exponent_of(std::uint32_t octave) {
  return static_cast<int>(octave % 256);
}
int key_of(std::uint32_t octave) {
  return octave < 256 ? exponent_of(octave) : -exponent_of(octave);
}

// Pages of a Tally, below.
constexpr std::uint32_t kUnclaimed = 0;  // of the octaves without a page of theirs
constexpr std::uint32_t kRejected = 1;   // of NaN and the infinities
constexpr std::uint32_t kFirst = 2;

using Bases = std::array<std::uint32_t, kOctaves>;

/// What to add to a float's top 17 bits for the index of its counter; may wrap, and wraps back.
constexpr std::uint32_t base(std::uint32_t page, std::uint32_t octave) {
  return kFine * page - kFine * octave;
}

constexpr Bases make_no_pages() {
  Bases bases{};
  for (std::uint32_t octave = 0; octave < kOctaves; ++octave) {
    bases[octave] = base(octave % 256 == 255 ? kRejected : kUnclaimed, octave);
  }
  return bases;
}
constexpr Bases kNoPages = make_no_pages();

}  // namespace

/// Counts one value after the other in the histogram itself.
class FloatHistogram::Direct {
 public:
  explicit Direct(FloatHistogram& target) : target_(target) { counts_.fill(nullptr); }

  void count(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t octave = bits >> 23;
    if (counts_[octave] == nullptr) [[unlikely]]
      look_up(octave);
    ++counts_[octave][(bits >> 15) % kFine >> shift_[octave]];
  }

 private:
  void look_up(std::uint32_t octave);

  FloatHistogram& target_;
  std::array<std::uint64_t*, kOctaves> counts_;
  std::array<std::uint8_t, kOctaves> shift_;  // from a fine bin to a bin of the octave
  std::uint64_t rejected_ = 0;                // NaN and the infinities
};

void FloatHistogram::Direct::look_up(std::uint32_t octave) {
  const int exponent = exponent_of(octave);
  if (exponent == 255) {
    counts_[octave] = &rejected_;
    shift_[octave] = 8;
    return;
  }
  if (exponent > target_.top_) {  // then octaves far below are folded, and lie elsewhere
    counts_.fill(nullptr);
    target_.raise_top(exponent);
  }
  std::vector<std::uint64_t>& counts = target_.octave(key_of(octave));
  counts_[octave] = counts.data();
  shift_[octave] = static_cast<std::uint8_t>(8 - std::countr_zero(counts.size()));
}

/// Counts many values in pages of 256 counters, claimed as octaves turn up, whatever the histogram
/// looks like; `flush` adds them to it.
class FloatHistogram::Tally {
 public:
  explicit Tally(FloatHistogram& target) : target_(target), direct_(target) {
    bases_.fill(kNoPages);
    clear(kUnclaimed);
    claim_known_octaves();
  }

  /// REQUIRES: fewer than 2^32 values in all.
  void add(std::span<const float> values);
  void flush();

 private:
  // Values in turn use one of four tables, which differ in the zero bin only: many tensors are half
  // zeros, and one counter raised at every turn would make each addition wait for the last.
  static constexpr std::size_t kWays = 4;
  static constexpr std::uint32_t kPages = 96;

  void count(std::uint32_t bits, std::size_t way) {
    ++counters_[(bits >> 15) + bases_[way][bits >> 23]];
  }
  std::uint32_t page_of(std::uint32_t octave, std::size_t way) const {
    return (bases_[way][octave] + kFine * octave) / kFine;
  }
  std::uint32_t* page(std::uint32_t number) {
    return counters_.data() + std::size_t{kFine} * number;
  }
  void clear(std::uint32_t number) { std::fill_n(page(number), kFine, 0); }

  void claim_known_octaves();
  bool claim(std::uint32_t octave, std::size_t way);
  void count_block(std::span<const float> block);
  void count_unclaimed(std::span<const float> block);

  FloatHistogram& target_;
  Direct direct_;  // for values of more octaves than there are pages
  std::uint32_t used_ = kFirst;
  std::array<Bases, kWays> bases_;
  std::array<int, kPages> key_;
  std::array<std::uint32_t, std::size_t{kPages} * kFine>
      counters_;  // those of pages before `used_` are set
};

void FloatHistogram::Tally::add(std::span<const float> values) {
  constexpr std::size_t kBlock = 1024;
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::span<const float> block = values.subspan(at, std::min(kBlock, values.size() - at));
    count_block(block);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < kFine; ++i) any |= page(kUnclaimed)[i];
    if (any != 0) count_unclaimed(block);
  }
}

/// Counts without a question; values of octaves without a page go to page kUnclaimed.
void FloatHistogram::Tally::count_block(std::span<const float> block) {
  std::size_t i = 0;
  for (; i + kWays <= block.size(); i += kWays) {
    std::array<std::uint64_t, 2> four;  // two loads, not four
    std::memcpy(&four, block.data() + i, sizeof four);
    count(static_cast<std::uint32_t>(four[0]), 0);
    count(static_cast<std::uint32_t>(four[0] >> 32), 1);
    count(static_cast<std::uint32_t>(four[1]), 2);
    count(static_cast<std::uint32_t>(four[1] >> 32), 3);
  }
  for (; i < block.size(); ++i) count(std::bit_cast<std::uint32_t>(block[i]), i % kWays);
}

/// Counts those values of a block again for which count_block found no page.
void FloatHistogram::Tally::count_unclaimed(std::span<const float> block) {
  const std::uint32_t before = used_;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(block[i]);
    const std::size_t way = i % kWays;
    const std::uint32_t number = page_of(bits >> 23, way);
    if (number >= before || (number == kUnclaimed && claim(bits >> 23, way))) {
      count(bits, way);
    } else if (number == kUnclaimed) {
      direct_.count(block[i]);
    }
  }
  clear(kUnclaimed);
}

/// Those that the histogram has already are likely to turn up again.
void FloatHistogram::Tally::claim_known_octaves() {
  for (const auto& [key, counts] : target_.octaves_) {
    const auto exponent = static_cast<std::uint32_t>(std::abs(key));
    const std::size_t ways = key == 0 ? kWays : 1;
    for (std::size_t way = 0; way < ways; ++way) {
      claim(key < 0 ? exponent + kOctaves / 2 : exponent, way);
    }
  }
}

/// Gives an octave a page; false where all are taken.
bool FloatHistogram::Tally::claim(std::uint32_t octave, std::size_t way) {
  if (used_ == kPages) return false;
  clear(used_);
  key_[used_] = key_of(octave);
  if (exponent_of(octave) == 0) {
    for (const std::uint32_t zero : {0u, kOctaves / 2}) bases_[way][zero] = base(used_, zero);
  } else {
    for (Bases& bases : bases_) bases[octave] = base(used_, octave);
  }
  ++used_;
  return true;
}

void FloatHistogram::Tally::flush() {
  int top = 0;
  for (std::uint32_t i = kFirst; i < used_; ++i) top = std::max(top, std::abs(key_[i]));
  target_.raise_top(top);  // first, so that no octave is made fine only to be folded
  for (std::uint32_t i = kFirst; i < used_; ++i) {
    const auto used = [](std::uint32_t count) { return count != 0; };
    if (std::any_of(page(i), page(i) + kFine, used)) add_fine(page(i), target_.octave(key_[i]));
  }
}

void FloatHistogram::add(std::span<const float> values) {
  constexpr std::size_t kSmall = 1024;  // below, clearing and adding up the pages costs too much
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (values.size() < kSmall) {
    Direct direct(*this);
    for (const float value : values) direct.count(value);
    return;
  }
  for (std::size_t at = 0; at < values.size(); at += kMost) {
    Tally tally(*this);
    tally.add(values.subspan(at, std::min(kMost, values.size() - at)));
    tally.flush();
  }
}

}  // namespace quantlens
