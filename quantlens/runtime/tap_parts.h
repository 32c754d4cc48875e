// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "quantlens/record/merge_stats.h"
#include "quantlens/runtime/channel_taps.h"

namespace quantlens {

// What one tap gathers, in parts: a step adds to the part of its lane, so that steps under way at
// once neither wait for each other nor pass counters from one core's cache to another's. Sums are
// exact and counts are integers, so the parts together are equal byte for byte to one that had
// everything (ADR 0032).

/// Bytes that further parts of all taps may take; the first of each tap is always there.
class PartRoom {
 public:
  bool take(std::uint64_t bytes) {
    std::uint64_t left = left_;
    while (left >= bytes && !left_.compare_exchange_weak(left, left - bytes)) continue;
    return left >= bytes;
  }

 private:
  std::atomic<std::uint64_t> left_ = std::uint64_t{32} << 20;  // half the slack of the budget
};

template <class Stats, class Histogram>
class TapParts {
  struct Part;

 public:
  using Target = ChannelTarget<Stats, Histogram>;

  /// A part that nobody else adds to while this lives.
  class Lease {
   public:
    Lease(TapParts& all, std::size_t lane, std::uint64_t bytes, PartRoom& room)
        : part_(all.part_of(lane, bytes, room)), all_(all), lock_(locked_soon(part_.mutex)) {}
    PendingChannels& channels() { return part_.channels; }
    Stats& stats() { return part_.stats; }
    Target target() { return {part_.stats, all_.histograms_}; }

   private:
    Part& part_;
    TapParts& all_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Empties it. REQUIRES: no lease.
  void reset(const std::vector<std::uint32_t>& channels) {
    parts_.clear();
    histograms_.all = std::vector<Histogram>(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) histograms_.all[i].channel = channels[i];
  }

  /// All parts together, but for names and axis. REQUIRES: no lease; `reset` is next.
  Stats take() {
    Stats all;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& part = *parts_[i];
      part.channels.flush(Target{part.stats, histograms_});
      if (i == 0) {
        all = std::move(part.stats);
      } else {
        add(all, part.stats);
      }
    }
    all.channel_histograms = std::move(histograms_.all);
    return all;
  }

 private:
  struct Part {
    std::mutex mutex;  // of what follows
    Stats stats;
    PendingChannels channels;
  };

  /// That of the lane, if there is room for so many `bytes`, else one that lanes share.
  Part& part_of(std::size_t lane, std::uint64_t bytes, PartRoom& room) {
    const std::lock_guard lock(mutex_);
    if (parts_.empty() || (lane >= parts_.size() && room.take(bytes))) {
      parts_.push_back(std::make_unique<Part>());
    }
    return *parts_[lane % parts_.size()];
  }

  /// Another step holds a part for some ten microseconds; to sleep and be woken takes longer.
  static std::unique_lock<std::mutex> locked_soon(std::mutex& mutex) {
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      std::unique_lock lock(mutex, std::try_to_lock);
      if (lock) return lock;
      std::this_thread::yield();
    }
    return std::unique_lock(mutex);
  }

  std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<Part>> parts_;
  SharedHistograms<Histogram> histograms_;
};

using ValueParts = TapParts<ValueStats, ChannelHistogram>;
using PairParts = TapParts<PairedStats, PairedChannelHistogram>;

}  // namespace quantlens
