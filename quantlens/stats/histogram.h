// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

/// Counts of float32 values, binned by the leading bits of their representation: sign, exponent and
/// 8 bits of mantissa, so a bin is at most 1/256 of its lower edge wide and no range need be known.
/// An *octave* is one sign and exponent (256 bins). In the stored form, octaves more than 8 below
/// the largest non-empty exponent (either sign) are folded to 3 mantissa bits (8 bins).
/// Folding commutes with merging: any split, merged, equals the whole.
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
  void merge(const FloatHistogram& other);
  std::uint64_t count() const;
  bool empty() const { return count() == 0; }
  /// Non-empty bins in ascending order of value, folded as in the stored form. The zero bin (all of
  /// exponent 0, subnormals included, each sign) is octave 0.
  std::vector<Bin> bins() const;
  /// The value below which a share `p` (0..1) of the count lies, linear inside its bin.
  /// REQUIRES: not empty.
  double quantile(double p) const;

  bool operator==(const FloatHistogram& other) const;
  void append_to(std::string& out) const;                   ///< canonical bytes
  static FloatHistogram take_from(std::string_view& in);    ///< throws Errc::bad_input

 private:
  using Octave = std::array<std::uint64_t, 256>;
  // Indexed by the top 9 bits of the float (sign, exponent); null where empty.
  std::vector<std::unique_ptr<Octave>> octaves_;
  // copy constructor and assignment copy the octaves
 public:
  FloatHistogram();
  ~FloatHistogram();
  FloatHistogram(const FloatHistogram& other);
  FloatHistogram& operator=(const FloatHistogram& other);
  FloatHistogram(FloatHistogram&&) noexcept;
  FloatHistogram& operator=(FloatHistogram&&) noexcept;
};

/// Exact counts of 8-bit codes; bin i counts code i (uint8) or i - 128 (int8).
struct CodeHistogram {
  std::array<std::uint64_t, 256> counts{};

  void add(std::span<const std::uint8_t> codes);
  void add(std::span<const std::int8_t> codes);
  void merge(const CodeHistogram& other);
  std::uint64_t count() const;
  bool operator==(const CodeHistogram&) const = default;
  void append_to(std::string& out) const;
  static CodeHistogram take_from(std::string_view& in);
};

}  // namespace quantlens
