// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/stats/exact_sum.h"
#include "quantlens/stats/kernels.h"

namespace quantlens {

/// Where one axis of a row-major tensor lies: element (o, c, i) is at (o * channels + c) * inner +
/// i.
struct AxisLayout {
  std::size_t outer = 1, channels = 1, inner = 1;

  /// Whether it is a table with one column a channel, one row for each index of the other axes.
  bool is_table() const { return inner == 1 && channels > 1; }
};

/// The layout of `axis` (negative counts from the end) in `shape`.
/// REQUIRES: the axis exists.
AxisLayout axis_layout(std::span<const std::int64_t> shape, int axis);

/// Extremes and moments of a tensor for every index of one axis.
class ChannelMoments {
 public:
  struct Channel {
    float min = std::numeric_limits<float>::infinity();
    float max = -std::numeric_limits<float>::infinity();
    std::uint64_t finite = 0, nonfinite = 0;
    ExactSum sum, sum_sq;
    bool operator==(const Channel&) const = default;
    double mean() const;
    double variance() const;
  };

  /// Throws Errc::bad_input where the number of channels differs from earlier calls.
  void add(std::span<const float> values, AxisLayout layout);
  /// The same, of tables with one column a channel that are summed already. Those of several
  /// samples at once are cheaper than one by one: a channel's sums are then in the cache.
  void add(std::span<const ColumnMoments> tables);
  void merge(const ChannelMoments& other);
  const std::vector<Channel>& channels() const { return channels_; }

  bool operator==(const ChannelMoments&) const = default;
  void append_to(std::string& out) const;
  static ChannelMoments take_from(std::string_view& in);

  /// What means are told by alone: of each channel its finite count and its sum, the count once
  /// where all channels have the same one. Of all else nothing is kept.
  void append_means_to(std::string& out) const;
  static ChannelMoments take_means_from(std::string_view& in);

 private:
  void expect(std::size_t channels);  // throws where there were others before

  std::vector<Channel> channels_;
};

}  // namespace quantlens
