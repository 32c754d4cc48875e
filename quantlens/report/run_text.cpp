// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_text.h"

#include <algorithm>

#include "quantlens/base/json.h"
#include "quantlens/record/files.h"
#include "quantlens/record/op_counts.h"
#include "quantlens/report/benchmark_text.h"
#include "quantlens/report/diagnosis_text.h"
#include "quantlens/report/run_markdown.h"
#include "quantlens/report/statement_text.h"
#include "quantlens/report/statistics_text.h"

namespace quantlens {
namespace {

std::string plan_text(const RunRecords& records, const RunView& view) {
  const Plan& plan = *records.plan;
  std::string text = shown(precision_table(plan, records.links), view);
  if (op_counts(plan.ops).in_float > 0) text += shown(float_reasons_table(plan), view);
  return text + op_counts_text(plan) + effects_text(plan);
}

/// Empty where the run has no model of this role.
std::string path_of(const RunRecords& records, ModelRole role) {
  const ModelFile* model = file_of(records.run, role);
  return model != nullptr ? model->path : std::string();
}

std::string study_text(const RunRecords& records, const RunView& view) {
  const bool has_ended = records.run.state == WorkloadState::success;
  return shown(study_table(*records.study, records.times), view) +
         (has_ended ? goal_text(*records.study) : unfinished_text(*records.study, records.run)) +
         latency_text(*records.study, records.times);
}

std::string times_text(const ProfileRecord& profile, const RunView& view) {
  const Profile& reference = profile.reference;
  if (!profile.quantized)
    return shown(profiling_table(reference, view.rows), view) + profile_text(reference);
  return shown(joined_table(profile, view.rows), view) + speed_text(profile) +
         profile_text(reference, "float: ") + profile_text(*profile.quantized, "int8: ");
}

std::string benchmarks_text(const Benchmark& benchmark, const RunView& view) {
  return benchmark_text(benchmark, view.text) +
         shown(benchmark_table(benchmark, Digits::four), view) + benchmark_ratio_text(benchmark);
}

/// Whether nothing but accuracies was asked for.
bool is_evaluation(const RunRecords& records) {
  return !records.plan && !records.diagnosis;
}

void add(const boost::json::object& fields, boost::json::object& object) {
  for (const auto& field : fields) object[field.key()] = field.value();
}

/// What two accuracies say beside themselves.
void add_difference(const AccuracyRecord& pair, boost::json::object& object) {
  object["ratio"] = json::encode(pair.ratio);
  object["difference"] = json::encode(pair.difference);
  object["difference_interval"] = json::encode(pair.difference_interval);
  object["lost"] = pair.lost;
  object["gained"] = pair.gained;
  object["flips"] = json::encode(pair.flips);
}

void add_plan(const RunRecords& records, boost::json::object& object) {
  object["output"] = path_of(records, ModelRole::quantized);
  const OpCounts ops = op_counts(records.plan->ops);
  object["ops_quantized"] = ops.quantized;
  object["ops_float"] = ops.in_float;
  object["notes"] = json::encode(records.run.notes);
  if (records.accuracy) {
    if (records.accuracy->reference)
      object["reference"] = json::encode(*records.accuracy->reference);
    object["quantized"] = json::encode(records.accuracy->quantized);
    if (records.accuracy->reference) add_difference(*records.accuracy, object);
  }
  if (records.float_edit) object["float_edit"] = json::encode(*records.float_edit);
  if (records.diagnosis) object["diagnosis"] = diagnosis_json(*records.diagnosis);
}

void add_study(const RunRecords& records, boost::json::object& object) {
  const Study& study = *records.study;
  object["output"] = nullptr;
  object["reached"] = study.reached;
  object["evaluations"] = evaluations(study);
  object["reference"] = json::encode(study.reference);
  object["quantized"] = nullptr;
  object["recipe"] = nullptr;
  if (study.best) {
    const Trial& best = study.trials.at(*study.best - 1);
    object["output"] = path_of(records, ModelRole::quantized);
    object["quantized"] = json::encode(best.accuracy);
    object["recipe"] = to_value(best.recipe);
    object["loss"] = json::encode(best.loss);
    object["difference"] = json::encode(best.difference);
    object["difference_interval"] = json::encode(best.difference_interval);
    object["int8_share"] = json::encode(int8_share(study, best));
    object["ops_quantized"] = best.ops_quantized;
    object["ops_float"] = best.ops_float;
    object["float_us"] = json::encode(records.times.float_us);
    object["best_us"] = json::encode(records.times.best_us);
    object["predicted_us"] = json::encode(best.predicted_us);
  }
  object["best"] = json::encode(study.best);
  object["trials"] = json::encode(study.trials);
}

/// The fields of the record, with sentences beside the statements.
boost::json::object profile_json(const ProfileRecord& profile) {
  boost::json::object object = json::encode(profile).as_object();
  object["verdict"] = text_of(profile.conclusions);
  boost::json::array& findings = object["findings"].as_array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].as_object()["because"] = text_of(profile.findings[i].reasons);
  }
  return object;
}

void add_profile(const ProfileRecord& profile, boost::json::object& object) {
  if (!profile.quantized) {
    add(json::encode(profile.reference).as_object(), object);
    object["wall_us"] = json::encode(profile.reference.wall.median_us);
    return;
  }
  add(profile_json(profile), object);
  object["nodes"] = object["quantized"].as_object()["nodes"];
  object["wall_us"] = json::encode(profile.quantized->wall.median_us);
  object["explained"] = json::encode(profile.quantized->explained);
}

void add_evaluation(const RunRecords& records, boost::json::object& object) {
  if (!records.accuracy) return;
  add(json::encode(records.accuracy->quantized).as_object(), object);
  if (!records.accuracy->reference) return;
  object["against"] = json::encode(*records.accuracy->reference);
  add_difference(*records.accuracy, object);
}

}  // namespace

PairNames names_of_models(const RunRecords& records) {
  if (!is_evaluation(records)) return {};
  const fs::path quantized = path_of(records, ModelRole::quantized);
  const fs::path reference = path_of(records, ModelRole::reference);
  if (quantized.filename() == reference.filename()) return {quantized.string(), reference.string()};
  return {quantized.filename().string(), reference.filename().string()};
}

std::string run_text(const RunRecords& records, const RunView& view) {
  if (view.markdown) return run_markdown(records, view);
  if (records.study) return study_text(records, view);
  std::string text;
  if (records.plan) text += plan_text(records, view);
  if (records.float_edit)
    text += float_edit_text(*records.float_edit, path_of(records, ModelRole::edited));
  if (records.diagnosis) text += diagnosis_text(*records.diagnosis, view);
  if (records.accuracy) text += accuracy_text(*records.accuracy, names_of_models(records));
  if (records.profile) text += times_text(*records.profile, view);
  if (records.benchmark) text += benchmarks_text(*records.benchmark, view);
  if (records.statistics) text += statistics_text(*records.statistics);
  return text;
}

std::optional<Table> run_table(const RunRecords& records, const RunView& view) {
  if (records.benchmark) return benchmark_table(*records.benchmark, Digits::all);
  if (records.profile) {
    return records.profile->quantized ? joined_table(*records.profile, view.rows)
                                      : profiling_table(records.profile->reference, view.rows);
  }
  if (records.study) return study_table(*records.study, records.times);
  if (records.diagnosis) return activations_table(*records.diagnosis, view.order);
  if (records.plan) return precision_table(*records.plan, records.links);
  if (records.accuracy) return accuracy_table(*records.accuracy, names_of_models(records));
  if (records.statistics) return statistics_table(*records.statistics);
  return std::nullopt;
}

boost::json::object run_json(const RunRecords& records) {
  boost::json::object object{{"workload", records.run.id}};
  if (records.study) {
    add_study(records, object);
  } else if (records.plan) {
    add_plan(records, object);
  } else if (records.profile) {
    add_profile(*records.profile, object);
  } else if (records.benchmark) {
    add(json::encode(*records.benchmark).as_object(), object);
  } else if (records.diagnosis) {
    add(diagnosis_json(*records.diagnosis), object);
    if (records.accuracy) object["accuracy"] = json::encode(*records.accuracy);
  } else if (records.statistics) {
    add(json::encode(*records.statistics).as_object(), object);
  } else {
    add_evaluation(records, object);
  }
  return object;
}

}  // namespace quantlens
