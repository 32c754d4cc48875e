// stats: mergeable accumulators over tensors' elements, exact and independent of order, threads and
// instruction set. Knows numbers only: no models, no quantization schemes. Start with pair_stats.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

/// A sum of doubles kept without any rounding (a superaccumulator: a window of 32-bit digits in
/// 64-bit limbs over the exponent range seen so far; R. M. Neal, "Fast exact summation using small
/// and large superaccumulators", 2015). Adding in any order, or merging any split, gives the same
/// sum to the last bit, so everything derived from it is equal byte for byte.
class ExactSum {
 public:
  /// REQUIRES: `term` is finite.
  void add(double term);
  void merge(const ExactSum& other);
  /// The sum, rounded once to the nearest double, ties to even (beyond the largest: an infinity).
  double value() const;
  bool operator==(const ExactSum& other) const;  ///< equal sums, whatever their history

  /// Canonical bytes: equal sums give equal bytes.
  void append_to(std::string& out) const;
  /// Reads what append_to wrote from the front of `in` and drops it there.
  /// Throws Errc::bad_input for bytes that append_to cannot have written.
  static ExactSum take_from(std::string_view& in);

 private:
  /// The sum in sign and magnitude, least digit first, no zero digit at either end.
  struct Digits {
    bool negative = false;
    int low = 0;  ///< the sum is the total of digits[i] * 2^(32 * (low + i))
    std::vector<std::uint32_t> digits;
    bool operator==(const Digits&) const = default;
  };
  Digits digits() const;
  void carry();                   // brings every limb but the top one to 0..2^32-1
  void widen(int low, int high);  // the window then holds the digits low..high

  // The sum is the total of limbs_[i] * 2^(32 * (low_ + i)); a limb may be negative, and may be
  // larger than a digit: at most 2^32 for each of the `pending_` additions since the last carry.
  std::vector<std::int64_t> limbs_;
  std::int32_t low_ = 0;
  std::uint32_t pending_ = 0;
};

}  // namespace quantlens
