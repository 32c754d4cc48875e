// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/self_times.h"

#include <algorithm>
#include <tuple>

namespace quantlens::imports {
namespace {

/// Of two that start together the longer is outside.
bool runs_before(const Execution& a, const Execution& b) {
  return std::tuple(a.thread, a.start_us, -a.own_us) < std::tuple(b.thread, b.start_us, -b.own_us);
}

struct Outer {
  std::size_t number;
  double end_us;
  std::uint64_t thread;
};

}  // namespace

void subtract_inner(std::vector<Execution>& executions) {
  if (!std::ranges::is_sorted(executions, runs_before)) {
    std::ranges::stable_sort(executions, runs_before);
  }
  std::vector<Outer> open;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const Execution& inner = executions[i];
    // Only starts are compared: with whole microseconds an inner end may seem to be past the outer.
    while (!open.empty() &&
           (open.back().thread != inner.thread || open.back().end_us <= inner.start_us)) {
      open.pop_back();
    }
    if (!open.empty()) {
      double& outer = executions[open.back().number].own_us;
      outer = std::max(0.0, outer - inner.own_us);
    }
    if (inner.own_us > 0) open.push_back({i, inner.start_us + inner.own_us, inner.thread});
  }
}

}  // namespace quantlens::imports
