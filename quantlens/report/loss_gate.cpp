// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/loss_gate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/loss.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"

namespace quantlens {
namespace {

/// Two accuracies over the same samples.
struct ScoredPair {
  Accuracy reference;
  Accuracy quantized;
  double difference = 0;                          ///< quantized - reference
  std::optional<std::array<double, 2>> interval;  ///< of it, 95 %
};

[[noreturn]] void refuse_gate(const char* why) {
  throw Error(Errc::failed, fmt::format("--max-loss cannot be checked: {}", why));
}

ScoredPair scored_pair(const RunRecords& records) {
  if (records.study) {
    const Study& study = *records.study;
    if (!study.best) refuse_gate("no trial of the search has a figure");
    const Trial& best = study.trials.at(*study.best - 1);
    if (!best.accuracy) refuse_gate("the model that the search kept has no figure");
    return {.reference = study.reference,
            .quantized = *best.accuracy,
            .difference = best.difference,
            .interval = best.difference_interval};
  }
  if (!records.accuracy) refuse_gate("the run scored no model; run it with --metric");
  if (!records.accuracy->reference || !records.accuracy->difference) {
    refuse_gate("the run scored one model; score the float one beside it (evaluate --against)");
  }
  return {.reference = *records.accuracy->reference,
          .quantized = records.accuracy->quantized,
          .difference = *records.accuracy->difference,
          .interval = records.accuracy->difference_interval};
}

/// Why no loss can be told from this figure; empty where one can.
std::string useless_reference(const Accuracy& reference, bool absolute) {
  if (!std::isfinite(reference.value)) {
    return fmt::format("the reference's {} is {}, so no loss can be told from it",
                       printable(reference.metric), reference.value);
  }
  const bool is_nothing = reference.value == 0 && reference.higher_is_better;
  if (!is_nothing || (absolute && !reference.is_rate)) return {};
  return fmt::format("the reference's {} is 0, so nothing can be lost and any model would do",
                     printable(reference.metric));
}

/// Says so where the samples leave room for both verdicts; else nothing.
std::string doubt_text(const ScoredPair& pair, double most, bool absolute) {
  if (!pair.interval) return {};
  const auto loss = [&](double difference) {
    return loss_of(pair.reference.value, difference, pair.reference.higher_is_better, absolute);
  };
  const auto [low, high] = std::minmax({loss((*pair.interval)[0]), loss((*pair.interval)[1])});
  if (is_within_loss(high, most) || !is_within_loss(low, most)) return {};
  return "; these samples cannot tell whether it is more";
}

std::string suffered_text(double loss, bool absolute) {
  if (!std::isfinite(loss)) return loss < 0 ? "less than nothing" : "all of it";
  return absolute ? figure_text(loss, std::abs(loss)) : change_text(loss);
}

}  // namespace

std::string allowed_loss_text(double max_loss, bool absolute) {
  constexpr double kHundred = 100;
  return absolute ? fmt::format("{:g}", max_loss) : fmt::format("{:g} %", kHundred * max_loss);
}

LossVerdict accuracy_gate(const RunRecords& records, double max_loss, bool absolute) {
  const ScoredPair pair = scored_pair(records);
  const bool higher_is_better = pair.reference.higher_is_better;
  check_allowed_loss(max_loss, higher_is_better, absolute);
  LossVerdict verdict;
  verdict.because = useless_reference(pair.reference, absolute);
  verdict.loss = loss_of(pair.reference.value, pair.difference, higher_is_better, absolute);
  verdict.reached = verdict.because.empty() && is_within_loss(verdict.loss, max_loss);
  if (!verdict.reached && verdict.because.empty()) {
    verdict.because =
        fmt::format("the loss of {} is {} (from {} to {}), where at most {} is allowed{}",
                    printable(pair.reference.metric), suffered_text(verdict.loss, absolute),
                    figure_text(pair.reference), figure_text(pair.quantized),
                    allowed_loss_text(max_loss, absolute), doubt_text(pair, max_loss, absolute));
  }
  return verdict;
}

}  // namespace quantlens
