// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace quantlens::server {

/// The few values that were used last, by what they were made of. Called from several threads at
/// once.
template <class T>
class Kept {
 public:
  using One = std::shared_ptr<const T>;
  explicit Kept(std::size_t most) : most_(most) {}

  /// `make` gives the value where it is not kept; two threads may make the same one.
  template <class Make>
  One get(const std::string& key, const Make& make) {
    if (One found = find(key)) return found;
    auto made = std::make_shared<const T>(make());
    const std::lock_guard lock(mutex_);
    kept_.emplace_front(key, made);
    if (kept_.size() > most_) kept_.pop_back();
    return made;
  }

 private:
  One find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, key, [](const auto& one) { return one.first; });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return found->second;
  }

  std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<std::string, One>> kept_;  // the last used first
};

}  // namespace quantlens::server
