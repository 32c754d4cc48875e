// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr double kMegabyte = 1e6;

std::string four_decimals(double value) {
  return fmt::format("{:.4f}", value);
}

double seconds_of(const StudyTimes& times, std::uint64_t trial) {
  return trial <= times.trials.size() ? times.trials[trial - 1] : 0;
}

/// The kept trial where it is within the goal; null where none is.
const Trial* best_of(const Study& study) {
  return study.reached && study.best ? &study.trials.at(*study.best - 1) : nullptr;
}

/// "[Accuracy (int8|fp32): 0.2103|0.7462, Duration (seconds) (int8|fp32): 5.4415|6.6940]"
std::string result_text(const Trial& trial, const Study& study, const StudyTimes& times) {
  if (!trial.accuracy) return "n/a";
  return fmt::format(
      "[Accuracy (int8|fp32): {:.4f}|{:.4f}, Duration (seconds) (int8|fp32): {:.4f}|{:.4f}]",
      trial.accuracy->value, study.reference.value, seconds_of(times, trial.number),
      times.reference);
}

std::string best_text(const Study& study, const StudyTimes& times) {
  const Trial* best = best_of(study);
  if (best == nullptr) return "n/a";
  return fmt::format("[Accuracy: {:.4f}, Duration (seconds): {:.4f}]", best->accuracy->value,
                     seconds_of(times, best->number));
}

/// What the figures of the line do not say.
std::string remark(const Trial& trial) {
  if (trial.judged == Judged::failed) return "failed: " + printable(trial.failure);
  std::string text = printable(trial.why);
  if (trial.same_as) text += fmt::format(", which gives the model of trial {}", *trial.same_as);
  if (trial.judged == Judged::missed) {
    text += fmt::format("; missed the goal beyond doubt after {} samples", trial.accuracy->samples);
  } else if (trial.judged == Judged::met) {
    text += fmt::format("; met the goal beyond doubt after {} samples", trial.accuracy->samples);
  }
  return text;
}

std::string loss_text(const Goal& goal, double loss) {
  return goal.absolute ? fmt::format("{:.4f}", loss) : fmt::format("{:.2f} %", 100 * loss);
}

}  // namespace

std::string trial_text(const Study& study, const StudyTimes& times) {
  if (study.trials.empty() || study.trials.back().judged == Judged::output_error) return {};
  const Trial& trial = study.trials.back();
  return fmt::format("Tune {} result is: {}, Best tune result is: {}\n  {}\n", trial.number,
                     result_text(trial, study, times), best_text(study, times), remark(trial));
}

Table study_table(const Study& study, const StudyTimes& times) {
  const Trial* best = best_of(study);
  const Trial* last = nullptr;
  for (const Trial& trial : study.trials) {
    if (trial.judged != Judged::output_error) last = &trial;
  }
  Table table{.title = "Tune Result Statistics",
              .columns = {{.title = "Info Type"},
                          {.title = "Baseline"},
                          {.title = fmt::format("Tune {} result", last ? last->number : 0)},
                          {.title = "Best tune result"}},
              .rows = {},
              .title_form = TitleForm::stars};
  const auto row = [&](const char* name, double baseline, auto&& figure) {
    const auto cell = [&](const Trial* trial) {
      return trial && trial->accuracy ? four_decimals(figure(*trial)) : std::string("n/a");
    };
    table.rows.push_back({name, four_decimals(baseline), cell(last), cell(best)});
  };
  row("Accuracy", study.reference.value, [](const Trial& trial) { return trial.accuracy->value; });
  row("Duration (seconds)", times.reference,
      [&](const Trial& trial) { return seconds_of(times, trial.number); });
  row("Model size (MB)", static_cast<double>(study.reference_bytes) / kMegabyte,
      [](const Trial& trial) { return static_cast<double>(trial.bytes) / kMegabyte; });
  return table;
}

std::string goal_text(const Study& study) {
  if (!study.best) return "The goal was missed: no trial has a figure.\n";
  const Trial& best = study.trials.at(*study.best - 1);
  const std::string allowed = loss_text(study.goal, study.goal.max_loss);
  if (study.reached) {
    return fmt::format(
        "The goal is reached by trial {}: a loss of {}, where {} is allowed; {} ops "
        "in int8, {} in float\n",
        best.number, loss_text(study.goal, best.loss), allowed, best.ops_quantized, best.ops_float);
  }
  return fmt::format(
      "The goal was missed: trial {} is the best of {}, with a loss of {} where {} is allowed, and "
      "is kept; allow more with --max-loss or --max-trials (with --resume), or try another "
      "--strategy\n",
      best.number, study.trials.size(), loss_text(study.goal, best.loss), allowed);
}

}  // namespace quantlens
