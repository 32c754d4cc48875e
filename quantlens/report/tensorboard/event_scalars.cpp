// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_scalars.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/table.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostSteps = 200;  // rows of the text

struct Step {
  std::int64_t number;
  const ActivationRow* row;
};

/// Rows by their op's place in the network; inputs, which are no ops, have none.
std::vector<Step> steps_of(const Diagnosis& diagnosis, const GraphOutline& reference) {
  std::unordered_map<std::string, std::int64_t> places;
  for (const OpOutline& op : reference.ops)
    places.emplace(op.op, static_cast<std::int64_t>(places.size()));
  std::map<std::int64_t, const ActivationRow*> worst;
  for (const ActivationRow& row : diagnosis.activations) {
    const auto place = places.find(row.op.id);
    if (place == places.end()) continue;
    const ActivationRow*& kept = worst[place->second];
    if (kept == nullptr || row.sqnr_db < kept->sqnr_db) kept = &row;
  }
  std::vector<Step> steps;
  steps.reserve(worst.size());
  for (const auto& [number, row] : worst) steps.push_back({number, row});
  return steps;
}

std::string steps_text(std::vector<Step> steps, const EventNames& names) {
  std::ranges::stable_sort(steps, {}, [](const Step& step) { return step.row->sqnr_db; });
  Table table{.title = "Steps of by_op, worst first",
              .columns = {{"Step"}, {"Op"}, {"Type"}, {"SQNR [dB]"}},
              .rows = {}};
  for (const Step& step : steps)
    table.rows.push_back({step.number, names.op(step.row->op), step.row->type, step.row->sqnr_db});
  return to_markdown(table, kMostSteps);
}

}  // namespace

void add_by_op(EventFile& file, const Diagnosis& diagnosis, const GraphOutline& reference,
               const EventNames& names) {
  const std::vector<Step> steps = steps_of(diagnosis, reference);
  for (const Step& step : steps) {
    EventSummary summary;
    summary.scalar("by_op/sqnr_db", step.row->sqnr_db);
    if (step.row->local_sqnr_db) summary.scalar("by_op/local_sqnr_db", *step.row->local_sqnr_db);
    if (step.row->output_share) summary.scalar("by_op/output_share", *step.row->output_share);
    file.add(step.number, summary);
  }
  if (steps.empty()) return;
  EventSummary text;
  text.text("by_op/steps", steps_text(steps, names));
  file.add(0, text);
}

void add_trial(EventFile& file, const Study& study, const Trial& trial) {
  EventSummary summary;
  if (trial.accuracy) summary.scalar(kAccuracyTag, trial.accuracy->value);
  summary.scalar(kLossTag, trial.loss);
  if (const std::optional<double> share = int8_share(study, trial))
    summary.scalar(kInt8ShareTag, *share);
  summary.scalar("bytes", static_cast<double>(trial.bytes));
  if (trial.predicted_us) summary.scalar("predicted_us", *trial.predicted_us);
  file.add(0, summary);
}

std::string accuracy_suffix(const std::optional<Accuracy>& accuracy) {
  return accuracy ? "_acc_" + exact_number(accuracy->value) : "";
}

}  // namespace quantlens
