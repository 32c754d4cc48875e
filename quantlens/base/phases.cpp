// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/phases.h"

#include <cassert>
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

std::map<std::string, double> Phases::seconds() {
  charge();
  return seconds_;
}

}  // namespace quantlens
