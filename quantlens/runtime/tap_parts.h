// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "quantlens/record/tap_state.h"
#include "quantlens/runtime/channel_taps.h"

namespace quantlens {

/// What one tap gathers, in one part or two: a step that comes while another one counts does not
/// wait for it, but counts in the other part. Statistics are exact and merge in any order, so that
/// nothing depends on which part a sample went to. For Accumulators alone; several threads may
/// `lease` at once, all else is for one thread while there is no lease.
template <class Stats>
class TapParts {
 public:
  struct Part {
    explicit Part(Stats empty) : stats(std::move(empty)) {}
    std::mutex mutex;  // of what follows
    Stats stats;
    PendingChannels channels;
  };

  /// A part that is one thread's own while it lives.
  struct Lease {
    std::unique_lock<std::mutex> lock;
    Part& part;
  };

  /// The first part that is free, made by `make_empty()` where it is not there yet. Waits where
  /// both are taken.
  template <class MakeEmpty>
  Lease lease(const MakeEmpty& make_empty) {
    std::unique_lock finding(mutex_);
    for (std::unique_ptr<Part>& part : parts_) {
      if (!part) part = std::make_unique<Part>(make_empty());
      std::unique_lock lock(part->mutex, std::try_to_lock);
      if (lock) return {std::move(lock), *part};
    }
    Part& first = *parts_.front();
    finding.unlock();
    return {std::unique_lock(first.mutex), first};
  }

  /// What all parts have gathered; leaves none. Throws Errc::bad_input where samples of unequal
  /// channels went to different parts.
  template <class MakeEmpty>
  Stats take(const MakeEmpty& make_empty) {
    for (const std::unique_ptr<Part>& part : parts_) {
      if (part) part->channels.flush(part->stats);
    }
    if (!parts_.front()) return make_empty();
    Stats all = std::move(parts_.front()->stats);
    if (parts_.back()) merge(all, parts_.back()->stats);
    parts_ = {};
    return all;
  }

  /// Forgets what was gathered so far; waits for those who count.
  void empty() {
    const std::lock_guard finding(mutex_);
    for (const std::unique_ptr<Part>& part : parts_) {
      if (!part) continue;
      const std::lock_guard lock(part->mutex);
      part->stats = {};
      part->channels = {};
    }
  }

 private:
  // More parts would take memory for each further caller; that three meet at a tap is rare.
  static constexpr std::size_t kMost = 2;

  std::mutex mutex_;  // of what follows, not of the parts themselves
  std::array<std::unique_ptr<Part>, kMost> parts_;
};

}  // namespace quantlens
