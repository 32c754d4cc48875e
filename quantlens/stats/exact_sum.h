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
/// state, so everything derived from it is equal byte for byte.
class ExactSum {
 public:
  /// REQUIRES: `term` is finite.
  void add(double term);
  void merge(const ExactSum& other);
  /// The sum, rounded once to double (error at most one unit in the last place; overflow: inf).
  double value() const;
  bool operator==(const ExactSum& other) const;  ///< equal sums, whatever their history

  /// Canonical bytes: equal sums give equal bytes.
  void append_to(std::string& out) const;
  /// Reads what append_to wrote from the front of `in` and drops it there.
  /// Throws Errc::bad_input for bytes that append_to cannot have written.
  static ExactSum take_from(std::string_view& in);

 private:
  void carry() const;  // normalises every limb but the top one to 0..2^32-1; trims zeros

  // The sum is limbs_[i] * 2^(32 * (low_ + i)) over all i.
  mutable std::vector<std::int64_t> limbs_;
  mutable std::int32_t low_ = 0;
  mutable std::uint32_t pending_ = 0;  // additions since the last carry
};

}  // namespace quantlens
