// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quantlens/base/error.h"

namespace quantlens {

/// How long work tells about itself and learns that it should stop. The library never prints;
/// a door implements this (bar, JSON lines, nothing). Calls come from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Before all steps: the run is kept as the workload of this id, in this folder.
  virtual void kept_as(std::string_view /*id*/, std::string_view /*folder*/) {}
  /// A new step begins, e.g. "calibrate"; `total` in units of `advance`, absent where unknown.
  virtual void begin(std::string_view step, std::optional<std::uint64_t> total) = 0;
  virtual void advance(std::uint64_t units) = 0;
  /// The step that `begin` opened is over.
  virtual void end() = 0;
  /// A sentence for the user that is not an error, e.g. a skipped image.
  virtual void note(std::string_view sentence) = 0;
  /// True once the user asked to stop: loops then throw Errc::interrupted. Asked from any thread.
  virtual bool stop_requested() const { return false; }
};

/// Throws Errc::interrupted where the user asked to stop.
inline void throw_if_stopped(const Progress& progress) {
  if (progress.stop_requested()) throw Error(Errc::interrupted, "interrupted");
}

/// A step that ends however its block is left.
class ProgressStep {
 public:
  ProgressStep(Progress& progress, std::string_view name, std::optional<std::uint64_t> total)
      : progress_(progress) {
    progress_.begin(name, total);
  }
  ~ProgressStep() { progress_.end(); }
  ProgressStep(const ProgressStep&) = delete;
  ProgressStep& operator=(const ProgressStep&) = delete;

 private:
  Progress& progress_;
};

/// Says nothing and never stops.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::optional<std::uint64_t>) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view) override {}
};

}  // namespace quantlens
