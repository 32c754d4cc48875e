// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr double kMegabyte = 1e6;

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
  return fmt::format("[Accuracy (int8|fp32): {}|{}, Duration (seconds) (int8|fp32): {:.4f}|{:.4f}]",
                     figure_text(*trial.accuracy), figure_text(study.reference),
                     seconds_of(times, trial.number), times.reference);
}

std::string best_text(const Study& study, const StudyTimes& times) {
  const Trial* best = best_of(study);
  if (best == nullptr) return "n/a";
  return fmt::format("[Accuracy: {}, Duration (seconds): {:.4f}]", figure_text(*best->accuracy),
                     seconds_of(times, best->number));
}

/// What the figures of the line do not say.
std::string remark(const Trial& trial, const Study& study) {
  if (trial.judged == Judged::failed) return "failed: " + printable(trial.failure);
  std::string text = printable(trial.why);
  if (trial.same_as) text += fmt::format(", which gives the model of trial {}", *trial.same_as);
  const bool missed = trial.judged == Judged::missed;
  if (!missed && trial.judged != Judged::met) return text;
  return text + fmt::format("; {} the goal beyond doubt: over {} of {}", missed ? "missed" : "met",
                            trial.accuracy->samples, counted(study.reference.samples, "sample"));
}

/// "0.0012", "1.20 %"; without a sign where it would be that of a zero.
std::string loss_text(const Goal& goal, double loss) {
  if (!std::isfinite(loss)) return loss < 0 ? "less than nothing" : "all of it";
  const double size = std::abs(loss);
  if (goal.absolute) return figure_text(size == 0 ? 0 : loss, size);
  return change_text(loss);
}

/// Whether a loss is told as a gain.
bool is_gain(const Goal& goal, double loss) {
  return std::isfinite(loss) && loss < 0 && loss_text(goal, -loss) != loss_text(goal, 0);
}

/// "a loss of 1.20 %", "a gain of 0.20 %"
std::string change_in(const Goal& goal, double loss) {
  return is_gain(goal, loss) ? "a gain of " + loss_text(goal, -loss)
                             : "a loss of " + loss_text(goal, loss);
}

/// What is allowed, behind such a change: "1.00 % is allowed".
std::string limit_behind(const Goal& goal, double loss) {
  if (is_gain(goal, goal.max_loss)) return change_in(goal, goal.max_loss) + " is asked for";
  const std::string allowed = loss_text(goal, goal.max_loss) + " is allowed";
  return is_gain(goal, loss) ? "a loss of " + allowed : allowed;
}

/// "; 97.3 % of the multiplications in int8"; empty where they were not counted.
std::string share_text(const Study& study, const Trial& trial) {
  const std::optional<double> share = int8_share(study, trial);
  constexpr double kHundred = 100;
  return share ? fmt::format("; {:.1f} % of the multiplications in int8", kHundred * *share) : "";
}

std::string advice(bool is_limited) {
  return is_limited ? "go on with --resume and more --max-trials or --timeout, or try another "
                      "--strategy"
                    : "this strategy found nothing else to try: take another --strategy, or allow "
                      "more with --max-loss";
}

}  // namespace

std::string trial_text(const Study& study, const StudyTimes& times) {
  if (study.trials.empty() || study.trials.back().judged == Judged::output_error) return {};
  const Trial& trial = study.trials.back();
  return fmt::format("Tune {} result is: {}, Best tune result is: {}\n{}", trial.number,
                     result_text(trial, study, times), best_text(study, times),
                     "  " + wrapped(remark(trial, study), 2));
}

Table study_table(const Study& study, const StudyTimes& times) {
  const Trial* best = best_of(study);
  const Trial* last = nullptr;
  for (const Trial& trial : study.trials) {
    if (trial.judged == Judged::whole) last = &trial;
  }
  Table table{.title = "Tune Result Statistics",
              .columns = {{.title = "Info Type"},
                          {.title = "Baseline"},
                          {.title = fmt::format("Tune {} result", last ? last->number : 0)},
                          {.title = "Best tune result"}},
              .rows = {},
              .title_form = TitleForm::stars};
  const auto row = [&](const char* name, std::string baseline, auto&& figure) {
    const auto cell = [&](const Trial* trial) {
      return trial && trial->accuracy ? figure(*trial) : std::string("n/a");
    };
    table.rows.push_back({name, std::move(baseline), cell(last), cell(best)});
  };
  const auto seconds = [](double value) { return fmt::format("{:.4f}", value); };
  const auto megabytes = [](std::uint64_t bytes) {
    return fmt::format("{:.4f}", static_cast<double>(bytes) / kMegabyte);
  };
  row("Accuracy", figure_text(study.reference),
      [](const Trial& trial) { return figure_text(*trial.accuracy); });
  row("Duration (seconds)", seconds(times.reference),
      [&](const Trial& trial) { return seconds(seconds_of(times, trial.number)); });
  row("Model size (MB)", megabytes(study.reference_bytes),
      [&](const Trial& trial) { return megabytes(trial.bytes); });
  return table;
}

std::string latency_text(const Study& study, const StudyTimes& times) {
  if (!study.best || !times.float_us || !times.best_us) return {};
  const std::optional<double>& predicted = study.trials.at(*study.best - 1).predicted_us;
  return wrapped(
      fmt::format("One run takes {:.3f} ms, {:.2f} of the {:.3f} ms that the float model takes{}{}",
                  *times.best_us / 1e3, *times.best_us / *times.float_us, *times.float_us / 1e3,
                  predicted ? fmt::format("; predicted: {:.3f}", *predicted / 1e3) : "",
                  *times.best_us < *times.float_us ? "" : "; int8 makes it no faster here"),
      0);
}

std::string unfinished_text(const Study& study, const Workload& run) {
  std::string best = "no trial has a figure";
  if (study.best) {
    const Trial& trial = study.trials.at(*study.best - 1);
    best = fmt::format("trial {} is the best of {} so far, with {} where {}", trial.number,
                       evaluations(study), change_in(study.goal, trial.loss),
                       limit_behind(study.goal, trial.loss));
  }
  return wrapped(
      fmt::format("The search has not ended{}{}: {}; tune with --resume {} goes on with it",
                  run.message.empty() ? "" : ", ", printable(run.message), best, printable(run.id)),
      0);
}

std::string goal_text(const Study& study) {
  if (!study.best) {
    return wrapped("The goal was missed: no trial has a figure; " + advice(study.is_limited), 0);
  }
  const Trial& best = study.trials.at(*study.best - 1);
  const Goal& goal = study.goal;
  if (study.reached && best.ops_quantized == 0) {
    const std::string asked = is_gain(goal, goal.max_loss)
                                  ? "a gain of at least " + loss_text(goal, -goal.max_loss)
                                  : "a loss of at most " + loss_text(goal, goal.max_loss);
    return wrapped(
        fmt::format("Nothing is in int8: for --objective {} the best model within the goal, {}, is "
                    "trial {}, whose ops are all in float; {}",
                    word(goal.objective), asked, best.number, advice(study.is_limited)),
        0);
  }
  if (study.reached) {
    return wrapped(
        fmt::format("The goal is reached by trial {}: {}, where {}; {} in int8, {} in float{}",
                    best.number, change_in(goal, best.loss), limit_behind(goal, best.loss),
                    counted(best.ops_quantized, "op"), best.ops_float, share_text(study, best)),
        0);
  }
  return wrapped(fmt::format("The goal was missed: trial {} comes nearest of {}, with {} where {}, "
                             "and is kept; {}",
                             best.number, evaluations(study), change_in(goal, best.loss),
                             limit_behind(goal, best.loss), advice(study.is_limited)),
                 0);
}

}  // namespace quantlens
