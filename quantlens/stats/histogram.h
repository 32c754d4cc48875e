// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/stats/kernels.h"

namespace quantlens {

class Moments;

/// Counts of float32 values, binned by the leading bits of their representation: sign, exponent and
/// 8 bits of mantissa, so a bin is at most 1/256 of its lower edge wide and no range need be known.
/// An *octave* is one sign and exponent (256 bins). Octaves more than 8 below the largest non-empty
/// exponent (either sign) are folded to 3 mantissa bits (8 bins).
/// Folding commutes with merging: any split, merged, equals the whole, byte for byte.
/// NaN and infinities are not counted here (`Moments` counts them). -0.0 counts as 0.0.
class FloatHistogram {
 public:
  struct Bin {
    double low = 0;   ///< values v of the bin satisfy low <= v < high (low < v <= high if negative)
    double high = 0;  ///< low < high always
    std::uint64_t count = 0;
    bool operator==(const Bin&) const = default;
  };

  void add(std::span<const float> values);  ///< non-finite ones are skipped
  /// Adds them to `moments` as well, as values of `sample`, in one pass.
  void add(std::span<const float> values, std::uint64_t sample, Moments& moments);
  /// Adds them as `kernel(chunk, counters)` counts them, chunk by chunk: it does other things, too.
  template <class Kernel>
  void add_by(std::span<const float> values, const Kernel& kernel) {
    for (std::size_t at = 0; at < values.size(); at += kChunk) {
      const std::span<const float> chunk = values.subspan(at, std::min(kChunk, values.size() - at));
      const BinCounters bins = counters_for(chunk.size());
      take_chunk(chunk, bins, kernel(chunk, bins));
    }
  }
  void merge(const FloatHistogram& other);
  std::uint64_t count() const;
  bool empty() const { return zeros_ == 0 && counts_.empty(); }
  /// Non-empty bins in ascending order of value. Zero and the subnormals of both signs share one,
  /// the zero bin (-2^-126, 2^-126).
  std::vector<Bin> bins() const;
  /// The value below which a share `p` (0..1) of the count lies, linear inside its bin (0 in the
  /// zero bin). REQUIRES: not empty.
  double quantile(double p) const;

  bool operator==(const FloatHistogram& other) const;     ///< equal counts, whatever their history
  void append_to(std::string& out) const;                 ///< canonical bytes
  static FloatHistogram take_from(std::string_view& in);  ///< throws Errc::bad_input

 private:
  static constexpr std::size_t kFine = 256;  // bins of an octave
  static constexpr std::size_t kCoarse = 8;  // bins of a folded one

  /// An octave with a count. Ascending keys are ascending values: the exponent bits of the float
  /// (1..254), negative for negative values; 0 is the zero bin, of one count.
  struct Octave {
    int key = 0;
    std::size_t bins = 0;
    std::array<std::uint64_t, kFine> counts;
  };

  BinLayout layout() const;
  std::size_t bins_of(int key) const;   // 256, 8, or 1 for the zero bin
  bool has_negatives() const;           // whether there are counters for them
  std::size_t begin_of(int key) const;  // of an octave in counts_
  void fit(int top, bool negative);     // makes the counters fit such values, too
  void add_octave(const Octave& octave);
  void put(std::size_t position, std::uint64_t count);
  void spill();                                 // from counts_ to wide_
  BinCounters counters_for(std::size_t count);  // for so many more values
  void take_chunk(std::span<const float> chunk, const BinCounters& bins, const BinnedChunk& found);
  template <class Function>
  void for_each_octave(const Function& function) const;  // ascending

  int top_ = 0;              // the largest exponent of either sign; 0: none
  std::uint64_t zeros_ = 0;  // of the zero bin
  // By BinLayout; empty before the first normal value, and half as long before the first negative
  // one. The count of a bin is the sum of both; wide_ is empty while 32 bits are enough.
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> wide_;
  std::uint64_t pending_ = 0;  // all of counts_ together, below 2^32
};

/// As FloatHistogram::quantile, of bins in ascending order. REQUIRES: there are some.
double quantile_of_bins(std::span<const FloatHistogram::Bin> bins, double p);

/// Exact counts of 8-bit codes; bin i counts code i (uint8) or i - 128 (int8).
struct CodeHistogram {
  std::array<std::uint64_t, 256> counts{};

  void add(std::span<const std::uint8_t> codes);
  void add(std::span<const std::int8_t> codes);
  /// The counts of codes that were counted as bytes; `flip` makes a byte the number of its bin.
  void add(const CodeCounters& counters, std::uint8_t flip);
  /// An int8 code in two's complement, with its top bit flipped, is the code + 128.
  template <class Code>
  static constexpr std::uint8_t flip() {
    return static_cast<Code>(-1) < 0 ? 0x80 : 0;
  }
  void merge(const CodeHistogram& other);
  std::uint64_t count() const;
  bool operator==(const CodeHistogram&) const = default;
  void append_to(std::string& out) const;
  static CodeHistogram take_from(std::string_view& in);
};

}  // namespace quantlens
