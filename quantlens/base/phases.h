// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace quantlens {

/// Where the wall time of one run went: seconds by name. Phases nest; each one's time is what
/// passes in it and in no phase inside, so that all add up to what was measured. Not thread-safe:
/// one thread opens and closes them.
class Phases {
 public:
  void enter(std::string name);
  void leave();  ///< REQUIRES: a phase is open
  /// Says what a wait of so many seconds, which just ended, was for: time of another thread, by the
  /// names of its own phases. They get the wait in proportion, the innermost phase loses it.
  void spread(double waited, const std::map<std::string, double>& others);
  /// Of all phases so far, an open one up to now.
  std::map<std::string, double> seconds();

 private:
  using Clock = std::chrono::steady_clock;
  /// Gives what passed since the last change to the innermost phase.
  void charge();

  std::map<std::string, double> seconds_;
  std::vector<std::string> open_;
  Clock::time_point since_;
};

/// A phase from here to the end of the block; nothing where nobody measures.
class Phase {
 public:
  Phase(Phases* phases, std::string name) : phases_(phases) {
    if (phases_ != nullptr) phases_->enter(std::move(name));
  }
  ~Phase() { end(); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  /// Ends it before its block does.
  void end() {
    if (phases_ != nullptr) phases_->leave();
    phases_ = nullptr;
  }

 private:
  Phases* phases_;
};

}  // namespace quantlens
