// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/goal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/loss.h"

namespace quantlens {

void check_goal(const Goal& goal, bool higher_is_better) {
  check_allowed_loss(goal.max_loss, higher_is_better, goal.absolute);
}

void check_baseline(const Goal& goal, const Accuracy& reference, bool from_zero) {
  if (!std::isfinite(reference.value)) {
    throw Error(
        Errc::bad_input,
        fmt::format("the float model's {} is {}: no loss can be told from it; check the data "
                    "and their labels with quantlens evaluate",
                    reference.metric, reference.value));
  }
  const bool is_nothing = reference.value == 0 && reference.higher_is_better;
  if (!is_nothing || (goal.absolute && !from_zero)) return;
  throw Error(Errc::bad_input,
              fmt::format("the float model's {} is 0, so nothing can be lost and any model would "
                          "do; check the data, their labels and how they are numbered "
                          "(label_offset, docs/metrics.md) with quantlens evaluate",
                          reference.metric));
}

std::string out_of_reach(const Goal& goal, const Accuracy& reference) {
  if (!reference.is_rate || !reference.higher_is_better) return {};
  const double wanted =
      reference.value - goal.max_loss * (goal.absolute ? 1 : std::abs(reference.value));
  if (wanted <= 1) return {};
  return fmt::format(
      "--max-loss {} asks for a {} of {:.4f}, which no model has; trials go on until there is "
      "nothing else to try, or a limit is reached",
      goal.max_loss, reference.metric, wanted);
}

double loss_of(const Goal& goal, const Accuracy& reference, double difference) {
  return loss_of(reference.value, difference, reference.higher_is_better, goal.absolute);
}

bool is_within(const Goal& goal, double loss) {
  return is_within_loss(loss, goal.max_loss);
}

std::optional<Judged> judged_early(const Goal& goal, const Accuracy& reference,
                                   const std::optional<std::array<double, 2>>& interval) {
  if (!interval) return std::nullopt;
  const double one = loss_of(goal, reference, interval->front());
  const double other = loss_of(goal, reference, interval->back());
  if (is_within(goal, one) && is_within(goal, other)) return Judged::met;
  if (!is_within(goal, one) && !is_within(goal, other)) return Judged::missed;
  return std::nullopt;
}

double least_loss(const Goal& goal, const Accuracy& reference,
                  const std::optional<std::array<double, 2>>& interval) {
  if (!interval) return -std::numeric_limits<double>::infinity();
  return std::min(loss_of(goal, reference, interval->front()),
                  loss_of(goal, reference, interval->back()));
}

bool may_be_within(const Goal& goal, const Trial& trial) {
  if (!trial.accuracy || !trial.difference_interval) return false;
  Accuracy reference = *trial.accuracy;
  reference.value -= trial.difference;
  return is_within(goal, least_loss(goal, reference, trial.difference_interval));
}

bool is_better(const Goal& goal, const Trial& trial, const Trial& other) {
  if (trial.reached != other.reached) return trial.reached;
  if (!trial.reached) return trial.loss < other.loss;
  if (goal.objective == Objective::accuracy) return trial.loss < other.loss;
  if (goal.objective == Objective::size) {
    return std::tie(trial.bytes, trial.loss) < std::tie(other.bytes, other.loss);
  }
  if (goal.objective == Objective::speed && trial.predicted_us && other.predicted_us &&
      *trial.predicted_us != *other.predicted_us) {
    return *trial.predicted_us < *other.predicted_us;
  }
  return std::tie(other.multiply_adds_quantized, other.compute_quantized, other.ops_quantized,
                  trial.loss) < std::tie(trial.multiply_adds_quantized, trial.compute_quantized,
                                         trial.ops_quantized, other.loss);
}

}  // namespace quantlens
