// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/compare.h"

#include <numeric>

#include "quantlens/compare/compare_parts.h"
#include "quantlens/record/data_of.h"
#include "quantlens/record/op_counts.h"

namespace quantlens {
namespace {

template <class Count>
std::optional<std::uint64_t> of_plan(const RunToCompare& run, const Count& count) {
  if (!run.records.plan) return std::nullopt;
  return static_cast<std::uint64_t>(count(*run.records.plan));
}

ComparedRun who(const RunToCompare& run) {
  const Workload& of = run.records.run;
  return {.id = of.id,
          .name = of.name,
          .verb = of.verb,
          .created = of.created,
          .state = of.state,
          .models = of.models,
          .data = of.data,
          .metric = of.metric,
          .diagnosed = run.records.diagnosis.has_value(),
          .samples = run.records.diagnosis ? run.records.diagnosis->samples : 0,
          .ops = of_plan(run, [](const Plan& plan) { return op_counts(plan.ops).all(); }),
          .ops_quantized =
              of_plan(run, [](const Plan& plan) { return op_counts(plan.ops).quantized; })};
}

bool is_same_file(const ModelFile* a, const ModelFile* b) {
  return a != nullptr && b != nullptr && !a->sha256.empty() && a->sha256 == b->sha256;
}

bool is_same_file(const RunToCompare& a, const RunToCompare& b, ModelRole role) {
  return is_same_file(file_of(a.records.run, role), file_of(b.records.run, role));
}

/// `one` ran the quantized model of `two`, and no other.
bool ran_the_quantized_one(const RunToCompare& one, const RunToCompare& two) {
  const std::vector<ModelFile>& models = one.records.run.models;
  return models.size() == 1 &&
         is_same_file(&models.front(), file_of(two.records.run, ModelRole::quantized));
}

bool is_same_data(const RunToCompare& a, const RunToCompare& b) {
  // Parts that were judged together may have any gaps.
  if (a.samples && b.samples && *a.samples != *b.samples) return false;
  const DataUsed* in_a = data_of(a.records.run, DataRole::samples);
  const DataUsed* in_b = data_of(b.records.run, DataRole::samples);
  if (in_a == nullptr || in_b == nullptr) return false;
  const auto part = [](const DataUsed& data) {
    return data.part.value_or(Samples{.first = 0, .count = data.samples});
  };
  // Without files (made-up data) the words that ask for them say what they are.
  const bool same_source = in_a->fingerprint.empty() && in_b->fingerprint.empty()
                               ? in_a->data == in_b->data
                               : in_a->fingerprint == in_b->fingerprint;
  return same_source && part(*in_a).first == part(*in_b).first &&
         part(*in_a).count == part(*in_b).count;
}

ComparisonCounts counted_of(const Comparison& comparison, const OpsTogether& ops) {
  ComparisonCounts counts{
      .matched = ops.ops.size(), .only_a = ops.only_a.size(), .only_b = ops.only_b.size()};
  for (const ComparedOp& op : comparison.ops) {
    switch (op.verdict) {
      case ComparisonVerdict::better:
        ++counts.better;
        break;
      case ComparisonVerdict::worse:
        ++counts.worse;
        break;
      case ComparisonVerdict::equal:
        ++counts.equal;
        break;
      case ComparisonVerdict::undecided:
        ++counts.undecided;
        break;
      case ComparisonVerdict::unknown:
        ++counts.unknown;
        break;
    }
  }
  for (const ComparedFinding& finding : comparison.findings) {
    switch (finding.change) {
      case FindingChange::new_:
        ++counts.findings_new;
        break;
      case FindingChange::gone:
        ++counts.findings_gone;
        break;
      case FindingChange::changed:
        ++counts.findings_changed;
        break;
      case FindingChange::same:
        ++counts.findings_same;
        break;
    }
  }
  return counts;
}

}  // namespace

Common common_of(const RunToCompare& a, const RunToCompare& b) {
  return {.run = a.records.run.id == b.records.run.id,
          .reference = is_same_file(a, b, ModelRole::reference),
          .quantized = is_same_file(a, b, ModelRole::quantized),
          .crossed = ran_the_quantized_one(a, b) || ran_the_quantized_one(b, a),
          .data = is_same_data(a, b)};
}

Comparison compare(const RunToCompare& a, const RunToCompare& b) {
  const Common common = common_of(a, b);
  OpsTogether ops = ops_together(a, b, common);
  Comparison made{.a = who(a), .b = who(b), .same_models = common.reference && common.quantized};
  made.accuracy = compared_accuracy(a, b, common);
  made.ops = compared_ops(a, b, ops, common);
  made.findings = compared_findings(a, b, ops);
  made.recipe = recipe_differences(a, b);
  made.plan = plan_differences(a, b, ops);
  made.times = compared_times(a, b, ops);
  made.counts = counted_of(made, ops);
  made.caveats = caveats_of(a, b, common, made);
  made.conclusions = conclusions_of(made, common);
  made.only_a = std::move(ops.only_a);
  made.only_b = std::move(ops.only_b);
  return made;
}

}  // namespace quantlens
