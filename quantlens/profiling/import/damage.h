// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "quantlens/base/progress.h"

namespace quantlens::imports {

/// What could not be read of a profile.
struct Damage {
  bool cut_off = false;       ///< it ends before its list of events does
  std::uint64_t broken = 0;   ///< events that are no sound JSON
  std::uint64_t undated = 0;  ///< events without a possible duration
};

/// One note each.
inline void tell_of_damage(const Damage& damage, Progress& progress) {
  if (damage.cut_off) {
    progress.note(
        "the profile is cut off (was the program that wrote it killed?); what is there was read");
  }
  if (damage.broken > 0) {
    progress.note(fmt::format("{} events are no sound JSON and are left out", damage.broken));
  }
  if (damage.undated > 0) {
    progress.note(
        fmt::format("{} events have no possible duration and are left out", damage.undated));
  }
}

}  // namespace quantlens::imports
