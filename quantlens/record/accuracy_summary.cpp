// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/accuracy_summary.h"

namespace quantlens {
namespace {

AccuracySummary summary_of(const Accuracy* reference, const Accuracy& quantized,
                           const std::optional<std::array<double, 2>>& difference_interval) {
  AccuracySummary summary{.metric = quantized.metric,
                          .reference = {},
                          .quantized = quantized.value,
                          .difference = {},
                          .difference_interval = difference_interval,
                          .is_rate = quantized.is_rate,
                          .higher_is_better = quantized.higher_is_better};
  if (reference != nullptr) {
    summary.reference = reference->value;
    summary.difference = quantized.value - reference->value;
  }
  return summary;
}

}  // namespace

AccuracySummary accuracy_summary(const AccuracyRecord& record) {
  return summary_of(record.reference ? &*record.reference : nullptr, record.quantized,
                    record.difference_interval);
}

std::optional<AccuracySummary> accuracy_summary(const Study& study) {
  if (!study.best || *study.best < 1 || *study.best > study.trials.size()) return std::nullopt;
  const Trial& best = study.trials[*study.best - 1];
  if (!best.accuracy) return std::nullopt;
  return summary_of(&study.reference, *best.accuracy, best.difference_interval);
}

}  // namespace quantlens
