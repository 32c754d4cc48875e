// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_markdown.h"

#include <algorithm>

#include "quantlens/report/all_tables.h"
#include "quantlens/report/benchmark_text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/diagnosis_text.h"
#include "quantlens/report/findings_markdown.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/run_text.h"
#include "quantlens/report/statistics_text.h"
#include "quantlens/report/summary_markdown.h"

namespace quantlens {
namespace {

std::string study_part(const RunRecords& records, const RunView& view) {
  const Study& study = *records.study;
  return shown(study_table(study, records.times), view) +
         told(unwrapped(latency_text(study, records.times)), view) +
         (study.trials.empty() ? std::string() : shown(trials_table(study), view));
}

std::string scores_part(const RunRecords& records, const RunView& view) {
  const PairNames names = names_of_models(records);
  return shown(accuracy_table(*records.accuracy, names), view) +
         told(accuracy_text(*records.accuracy, names), view);
}

std::string plan_part(const RunRecords& records, const RunView& view) {
  const Plan& plan = *records.plan;
  std::string text = shown(precision_table(plan, records.links), view);
  if (!std::ranges::all_of(plan.ops, &OpPlan::quantized))
    text += shown(float_reasons_table(plan), view);
  text += told(op_counts_text(plan) + effects_text(plan), view);
  if (!records.float_edit) return text;
  const ModelFile* edited = file_of(records.run, ModelRole::edited);
  return text +
         told(float_edit_text(*records.float_edit, edited != nullptr ? edited->path : ""), view);
}

std::string times_part(const ProfileRecord& profile, const RunView& view) {
  const auto line = [&](const Profile& one, const char* label) {
    return told(unwrapped(profile_text(one, label)), view);
  };
  if (!profile.quantized)
    return shown(profiling_table(profile.reference, view.rows), view) + line(profile.reference, "");
  std::string text = shown(joined_table(profile, view.rows), view);
  if (!profile.findings.empty()) text += told(speed_note(), view);
  return text + line(profile.reference, "float: ") + line(*profile.quantized, "int8: ");
}

}  // namespace

std::string run_markdown(const RunRecords& records, const RunView& view) {
  if (records.statistics) return shown(statistics_table(*records.statistics), view);
  std::string text = verdict_markdown(records);
  if (records.study) return text + study_part(records, view);
  if (records.accuracy) text += scores_part(records, view);
  if (records.diagnosis)
    text += diagnosis_text(*records.diagnosis, view);
  else
    text += findings_markdown(reported_findings(records), rows_of(view));
  if (records.plan) text += plan_part(records, view);
  if (records.profile) text += times_part(*records.profile, view);
  if (records.benchmark) {
    text += shown(benchmark_table(*records.benchmark, Digits::four), view) +
            told(benchmark_ratio_text(*records.benchmark), view);
  }
  return text;
}

}  // namespace quantlens
