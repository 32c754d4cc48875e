// SPDX-License-Identifier: Apache-2.0
// Leave one out: of all ops in int8 that one becomes float without which the outputs are nearest to
// the float model's; again until the goal is met. Then those that turn out to be of least use
// become int8 again.
#include <algorithm>

#include <fmt/format.h>

#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

class LeaveOneOut {
 public:
  explicit LeaveOneOut(Search& search) : search_(search), task_(search.task()) {
    for (const TunableOp& op : task_.space.ops) in_int8_.push_back(&op);
  }

  void run() {
    auto trial = search_.run({.recipe = task_.start, .why = "the recipe as given"});
    while (trial && !search_.is_enough(*trial) && !in_int8_.empty()) {
      const auto op = best_without();
      if (op == in_int8_.end()) return;
      in_float_.push_back(*op);
      in_int8_.erase(op);
      trial = tried("gains most");
    }
    if (trial && trial->reached) take_back();
  }

 private:
  using Ops = std::vector<const TunableOp*>;

  std::optional<Trial> tried(const char* why) {
    return search_.run({.recipe = with_float(task_.start, in_float_),
                        .why = fmt::format("{} in float, the last one {}", in_float_.size(), why)});
  }

  /// The outputs' error with these in float; nothing where the limits are reached.
  std::optional<double> error_with(const Ops& in_float, const TunableOp& op) {
    const auto trial = search_.run({.recipe = with_float(task_.start, in_float),
                                    .why = fmt::format("outputs with {} changed", op.name),
                                    .look = Look::outputs});
    if (!trial) return std::nullopt;
    return trial->output_error.value_or(std::numeric_limits<double>::infinity());
  }

  /// The end where the limits are reached.
  Ops::iterator best_without() {
    auto best = in_int8_.end();
    double least = 0;
    for (auto op = in_int8_.begin(); op != in_int8_.end(); ++op) {
      Ops in_float = in_float_;
      in_float.push_back(*op);
      const std::optional<double> error = error_with(in_float, **op);
      if (!error) return in_int8_.end();
      if (best != in_int8_.end() && !(*error < least)) continue;
      best = op;
      least = *error;
    }
    return best;
  }

  /// The last one was needed: the goal was missed without it.
  void take_back() {
    while (in_float_.size() > 1) {
      auto least_use = in_float_.end();
      double least = 0;
      for (auto op = in_float_.begin(); op != in_float_.end() - 1; ++op) {
        Ops without = in_float_;
        std::erase(without, *op);
        const std::optional<double> error = error_with(without, **op);
        if (!error) return;
        if (least_use != in_float_.end() && !(*error < least)) continue;
        least_use = op;
        least = *error;
      }
      in_float_.erase(least_use);
      const auto trial = tried("kept, one less");
      if (!trial || !trial->reached) return;
    }
  }

  Search& search_;
  const Task& task_;
  Ops in_int8_, in_float_;
};

}  // namespace

void tune_mse_v2(Search& search) {
  LeaveOneOut(search).run();
}

}  // namespace quantlens
