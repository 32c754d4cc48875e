// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "quantlens/record/profile.h"

namespace quantlens::imports {

/// What an import may still keep of a file, so that no file can make it grow.
struct Budget {
  std::size_t bytes = 80U << 20;
  /// Takes them, or nothing where fewer are left.
  bool take(std::size_t wanted);
};

/// Durations in microseconds in bounded memory: every single one up to `exact`, after that a sparse
/// histogram with logarithmic bins 1 % wide that knows each bin's mean.
class Durations {
 public:
  static constexpr std::size_t kExact = 64;
  explicit Durations(std::size_t exact = kExact) : exact_(exact) {}

  /// REQUIRES: us >= 0 and finite. Without budget it goes to the nearest bin there is.
  void add(double us, Budget& budget);
  void merge(const Durations& other, Budget& budget);
  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  /// The value below which a share `q` (0..1) lies, interpolated; 0 of none.
  double quantile(double q) const;
  /// The i-th in ascending order. REQUIRES: i < count().
  double value_at(std::uint64_t i) const;

 private:
  struct Bin {
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    double sum = 0;
  };
  void add_bin(Bin added, Budget& budget);
  void to_bins(Budget& budget);

  std::size_t exact_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  mutable std::vector<double> values_;  ///< all of them, until there are too many
  mutable bool sorted_ = true;
  std::vector<Bin> bins_;  ///< ascending
};

/// Wall times of runs; mean_us is the plain mean.
WallTime wall_of(const Durations& runs);

}  // namespace quantlens::imports
