// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "quantlens/stats/exact_sum.h"
#include "quantlens/stats/kernels.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// The extremes of one sample's finite elements; min > max where there are none.
struct SampleExtremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  void add(const ChunkMoments& chunk);
};

/// Count, sum, sum of squares, extremes and non-finite counts of one tensor's elements, apart for
/// each block of samples; and the sums of each sample's own extremes.
class Moments {
 public:
  struct Block {
    std::uint64_t finite = 0, nan = 0, inf = 0;
    ExactSum sum, sum_sq;
    bool operator==(const Block&) const = default;
  };

  /// All elements that `sample` contributes to this tensor.
  void add(std::uint64_t sample, std::span<const float> values);
  /// One chunk of them, already summed.
  void add_chunk(std::uint64_t sample, const ChunkMoments& chunk);
  /// Ends a sample whose chunks had these extremes. REQUIRES: its chunks are added, and it was not
  /// ended before.
  void end_sample(const SampleExtremes& extremes);
  void merge(const Moments& other);

  std::uint64_t count() const;  ///< finite elements
  std::uint64_t nan_count() const;
  std::uint64_t inf_count() const;
  float min() const { return min_; }  ///< of finite elements; +inf where there are none
  float max() const { return max_; }  ///< of finite elements; -inf where there are none
  double mean() const;                ///< 0 where there are none
  double variance() const;            ///< population variance, never negative
  double standard_deviation() const;
  /// Samples that had a finite element, and the means of the least and of the greatest element of
  /// each of these; 0 where there are none.
  std::uint64_t samples() const { return samples_; }
  double mean_sample_min() const;
  double mean_sample_max() const;
  const std::array<Block, kBlocks>& blocks() const { return blocks_; }

  bool operator==(const Moments&) const = default;
  void append_to(std::string& out) const;
  static Moments take_from(std::string_view& in);

 private:
  void check_samples() const;

  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();
  std::uint64_t samples_ = 0;  // with a finite element
  ExactSum sample_min_, sample_max_;
  std::array<Block, kBlocks> blocks_;
};

}  // namespace quantlens
