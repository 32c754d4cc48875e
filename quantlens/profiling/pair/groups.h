// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace quantlens {

/// Disjoint sets of the numbers below `count`, each alone at first. A set's name is its least
/// number.
class Groups {
 public:
  explicit Groups(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void unite(std::span<const std::size_t> numbers) {
    for (const std::size_t number : numbers) {
      const std::size_t a = find(numbers.front());
      const std::size_t b = find(number);
      parents_[std::max(a, b)] = std::min(a, b);
    }
  }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace quantlens
