// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "quantlens/tuning/orders.h"

namespace quantlens {

/// Numbers in Space::ops.
using Ops = std::set<std::size_t>;

inline std::uint64_t cost_of(const Ops& ops, const Costs& costs) {
  std::uint64_t sum = 0;
  for (const std::size_t op : ops) sum += costs[op];
  return sum;
}

/// An order's prefixes, and what each costs.
class Prefixes {
 public:
  Prefixes(const OpOrder& order, const Costs& costs) : order_(order), costs_{0} {
    for (const std::vector<std::size_t>& step : order.steps) {
      std::uint64_t cost = costs_.back();
      for (const std::size_t op : step) cost += costs[op];
      costs_.push_back(cost);
    }
  }

  std::size_t longest() const { return costs_.size() - 1; }
  std::uint64_t cost(std::size_t count) const { return costs_[count]; }

  const std::vector<std::size_t>& step(std::size_t number) const { return order_.steps[number]; }

  Ops ops(std::size_t count) const {
    Ops ops;
    for (std::size_t i = 0; i < count; ++i)
      ops.insert(order_.steps[i].begin(), order_.steps[i].end());
    return ops;
  }

  /// The longest that costs no more than this.
  std::size_t within(std::uint64_t cost) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(costs_, cost) - costs_.begin()) - 1;
  }

  /// Strictly between two of them, the one whose cost is nearest to the middle. REQUIRES: there is
  /// one.
  std::size_t between(std::size_t low, std::size_t high) const {
    const std::uint64_t middle = costs_[low] + (costs_[high] - costs_[low]) / 2;
    return std::clamp(within(middle), low + 1, high - 1);
  }

 private:
  const OpOrder& order_;
  Costs costs_;
};

}  // namespace quantlens
