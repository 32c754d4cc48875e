// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "quantlens/base/progress.h"

namespace quantlens {

/// Progress as JSON lines, for logs and programs; docs/format.md tells their fields.
class ProgressEvents final : public Progress {
 public:
  using Sink = std::function<void(std::string_view line)>;  ///< a line with its end
  /// Of `advance` at most one line an interval is made.
  ProgressEvents(Sink sink, std::chrono::milliseconds interval);

  void kept_as(std::string_view id, std::string_view folder) override;
  void begin(std::string_view step, std::optional<std::uint64_t> total) override;
  void advance(std::uint64_t units) override;
  void end() override;
  void note(std::string_view sentence) override;

 private:
  using Clock = std::chrono::steady_clock;
  void tell(std::string_view event);

  Sink sink_;
  std::chrono::milliseconds interval_;
  std::string step_;
  std::optional<std::uint64_t> total_;
  std::uint64_t done_ = 0;
  Clock::time_point started_, told_;
};

}  // namespace quantlens
