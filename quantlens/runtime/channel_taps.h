// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include <boost/container/vector.hpp>

#include "quantlens/record/tap_state.h"
#include "quantlens/stats/kernels.h"

namespace quantlens {

// What taps gather of single channels, a sample at a time; for Accumulators alone. The sums and
// counters of a model's channels do not stay in a cache from sample to sample, so they are raised
// by several samples at once.

/// One tensor's part of a sample, and where its channels lie.
template <class Element>
struct ChannelPart {
  std::span<const Element> values;
  AxisLayout layout;
};

/// Histograms of single channels, into which several threads count.
template <class Histogram>
struct SharedHistograms {
  std::vector<Histogram> all;  ///< by channel, ascending
  std::mutex mutex;            ///< of what they count
};

/// Where samples are added: `stats` is the caller's own, its `channel_histograms` stay as they are.
template <class Stats, class Histogram>
struct ChannelTarget {
  Stats& stats;
  SharedHistograms<Histogram>& histograms;
};
using ValueTarget = ChannelTarget<ValueStats, ChannelHistogram>;
using PairTarget = ChannelTarget<PairedStats, PairedChannelHistogram>;

/// Of one tap: what is seen and not yet in its statistics.
class PendingChannels {
 public:
  /// Adds the sample to the channels and to the histograms of some; part of it with the next
  /// `flush`. Throws Errc::bad_input where a listed channel does not exist, or their number has
  /// changed.
  void add(const ChannelPart<float>& x, ValueTarget to);
  /// Likewise, of the reference x, and of what y means, codes by `how`, as PairStats gets on with
  /// the sample. `errors` is a buffer that grows. REQUIRES: equal layouts; all arguments outlive
  /// the result.
  ChunkDone follow(const ChannelPart<float>& x, std::span<const float> y, Dequantize8 how,
                   std::vector<float>& errors, PairTarget to);
  ChunkDone follow(const ChannelPart<float>& x, std::span<const std::uint8_t> y, Dequantize8 how,
                   std::vector<float>& errors, PairTarget to);
  ChunkDone follow(const ChannelPart<float>& x, std::span<const std::int8_t> y, Dequantize8 how,
                   std::vector<float>& errors, PairTarget to);

  /// Adds all that is left.
  void flush(ValueTarget to);
  void flush(PairTarget to);

 private:
  /// Elements of a channel that has a histogram.
  struct Elements {
    boost::container::vector<float> x, y;
    boost::container::vector<std::uint8_t> unsigned_codes;
    boost::container::vector<std::int8_t> signed_codes;
  };

  template <class Y>
  class PairSample;

  ColumnMoments& next_table(std::vector<ColumnMoments>& tables, std::size_t columns) const;

  std::vector<ColumnMoments> x_tables_, error_tables_;  // the first `tables_` are in use
  std::size_t tables_ = 0;
  std::vector<Elements> elements_;  // by channel histogram
};

}  // namespace quantlens
