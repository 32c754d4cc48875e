// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/phases.h"

#include <cassert>
#include <numeric>
#include <utility>

namespace quantlens {

void Phases::charge() {
  const Clock::time_point now = Clock::now();
  if (!open_.empty()) {
    seconds_[open_.back()] += std::chrono::duration<double>(now - since_).count();
  }
  since_ = now;
}

void Phases::enter(std::string name) {
  charge();
  open_.push_back(std::move(name));
}

void Phases::leave() {
  assert(!open_.empty());
  charge();
  open_.pop_back();
}

void Phases::spread(double waited, const std::map<std::string, double>& others) {
  const double all = std::accumulate(others.begin(), others.end(), 0.0,
                                     [](double sum, const auto& one) { return sum + one.second; });
  if (open_.empty() || !(all > 0)) return;
  charge();
  const std::string innermost = open_.back();
  for (const auto& [name, seconds] : others) {
    seconds_[name] += waited * seconds / all;
    seconds_[innermost] -= waited * seconds / all;
  }
}

std::map<std::string, double> Phases::seconds() {
  charge();
  return seconds_;
}

}  // namespace quantlens
