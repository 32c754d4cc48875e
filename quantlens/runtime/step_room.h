// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "quantlens/base/store.h"

namespace quantlens {

/// How many steps of a Run have room at once. The first one is measured: what the process grew by
/// meanwhile is what each further one may need.
class StepRoom {
 public:
  /// 0 counts as 1.
  explicit StepRoom(unsigned wanted) : in_flight_(wanted == 0 ? 1 : wanted) {}

  unsigned in_flight() const { return in_flight_; }

  /// Lives as long as a step. The first one measures, all others cost nothing.
  class Measure {
   public:
    explicit Measure(StepRoom& room);
    ~Measure();
    Measure(const Measure&) = delete;
    Measure& operator=(const Measure&) = delete;

   private:
    StepRoom& room_;
    std::optional<std::uint64_t> before_;  // bytes; absent: it does not measure
  };

 private:
  std::atomic<unsigned> in_flight_;
  std::atomic<bool> is_measured_ = false;
};

namespace detail {

/// Steps that have room at once: the first that took `growth` bytes, and as many as fit into half
/// of what is `available` beside it.
unsigned steps_with_room(unsigned wanted, std::uint64_t growth, std::uint64_t available);

/// Memory that this process holds; 0 where the system does not tell. Files are read below `root`.
std::uint64_t resident_bytes(const fs::path& root = "/");

/// Memory that it may take yet: what the machine has left, cut by the limits of its control
/// groups; the greatest number where nothing is told.
std::uint64_t available_bytes(const fs::path& root = "/");

}  // namespace detail
}  // namespace quantlens
