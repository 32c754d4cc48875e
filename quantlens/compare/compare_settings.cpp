// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "quantlens/compare/compare_parts.h"
#include "quantlens/graph/value_makers.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

// ---- plans
const OpPlan* op_in(const std::unordered_map<std::string, const OpPlan*>& plans,
                    const std::string& id) {
  const auto found = plans.find(id);
  return found == plans.end() ? nullptr : found->second;
}

std::unordered_map<std::string, const OpPlan*> plans_of(const Plan& plan) {
  std::unordered_map<std::string, const OpPlan*> all;
  for (const OpPlan& op : plan.ops) all.emplace(op.op.id, &op);
  return all;
}

/// What is planned for the values of each op: by the op that makes or, of weights, reads them.
struct PlannedValues {
  std::unordered_map<std::string, const ActivationPlan*> activations;
  std::unordered_map<std::string, std::vector<const WeightPlan*>> weights;
};

PlannedValues values_of(const RunToCompare& run) {
  PlannedValues values;
  if (run.graph) {
    const ValueMakers makers(*run.graph);
    for (const ActivationPlan& plan : run.records.plan->activations)
      if (const OpOutline* op = makers.op("", plan.value))
        values.activations.emplace(op->op, &plan);
  }
  for (const WeightPlan& plan : run.records.plan->weights_quantized)
    for (const ValueUse& use : plan.uses) values.weights[use.op].push_back(&plan);
  return values;
}

bool is_other(const ActivationPlan* a, const ActivationPlan* b) {
  if (a == nullptr || b == nullptr) return a != b;
  return !(a->scheme == b->scheme) || a->min != b->min || a->max != b->max;
}

template <class Map>
auto found_or_null(const Map& map, const std::string& id) -> typename Map::mapped_type {
  const auto found = map.find(id);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}

bool has_other_weights(const std::vector<const WeightPlan*>& a,
                       const std::vector<const WeightPlan*>& b) {
  return !std::ranges::equal(a, b, [](const WeightPlan* in_a, const WeightPlan* in_b) {
    const bool is_bias = in_a->scheme.dtype == DType::int32;  // of which no parameters are stored
    return in_a->scheme == in_b->scheme && (is_bias || in_a->params == in_b->params);
  });
}

bool is_empty(const json::Value& value) {
  return value.is_null() || (value.is_object() && value.as_object().empty()) ||
         (value.is_array() && value.as_array().empty());
}

// ---- times
const Profile* profile_in(const RunToCompare& run) {
  if (!run.records.profile) return nullptr;
  const ProfileRecord& profile = *run.records.profile;
  return profile.quantized ? &*profile.quantized : &profile.reference;
}

/// Of single runs at a batch size, and how they were made.
struct Timed {
  std::uint64_t batch_size = 1;
  unsigned threads = 1;  ///< 0: not known
  std::size_t instances = 1;
  WallTime wall;
};

/// Of the quantized model, or of the last one of a benchmark; by batch size.
std::vector<Timed> timed_in(const RunToCompare& run) {
  if (const Profile* profile = profile_in(run))
    return {
        {.batch_size = profile->batch_size, .threads = profile->threads, .wall = profile->wall}};
  std::vector<Timed> all;
  if (!run.records.benchmark) return all;
  for (const BenchmarkResult& one : run.records.benchmark->results) {
    if (all.empty() || all.back().batch_size != one.batch_size) all.emplace_back();
    all.back() = {.batch_size = one.batch_size,
                  .threads = one.threads,
                  .instances = one.instances.size(),
                  .wall = one.wall};
  }
  return all;
}

std::optional<double> seconds_of(const RunToCompare& run) {
  if (run.records.run.times.empty()) return std::nullopt;
  double seconds = 0;
  for (const auto& [phase, one] : run.records.run.times) seconds += one;
  return seconds;
}

/// Of units of one op each; of several it is not known whose time it is.
std::unordered_map<std::string, double> op_times(const RunToCompare& run) {
  std::unordered_map<std::string, double> all;
  if (!run.records.profile) return all;
  for (const OpTime& one : run.records.profile->ops) {
    if (!one.ops.empty())
      all.emplace(one.ops.front().id, one.quantized_us + one.conversion_us + one.layout_us);
  }
  return all;
}

/// The first batch size at which both were timed in the same way; nulls where there is none.
std::pair<const Timed*, const Timed*> timed_alike(const std::vector<Timed>& a,
                                                  const std::vector<Timed>& b) {
  for (const Timed& one : a)
    for (const Timed& other : b)
      if (one.batch_size == other.batch_size && one.instances == other.instances &&
          (one.threads == other.threads || one.threads == 0 || other.threads == 0))
        return {&one, &other};
  return {};
}

void add_op_times(const RunToCompare& a, const RunToCompare& b, const OpsTogether& ops,
                  ComparedTimes& times) {
  const auto in_a = op_times(a), in_b = op_times(b);
  for (const SameOp& op : ops.ops) {
    const auto of_a = in_a.find(op.a.id), of_b = in_b.find(op.b.id);
    if (of_a == in_a.end() || of_b == in_b.end()) continue;
    times.ops.push_back(
        {.a = op.a, .b = op.b, .type = op.type, .us_a = of_a->second, .us_b = of_b->second});
  }
  std::ranges::stable_sort(times.ops, {}, [](const OpTimeDifference& one) {
    const double size = std::abs(one.us_b - one.us_a);
    return std::isnan(size) ? 0 : -size;
  });
}

}  // namespace

std::vector<RecipeDifference> recipe_differences(const RunToCompare& a, const RunToCompare& b) {
  if (!a.recipe || !b.recipe) return {};
  const auto in_a = recipe_options(*a.recipe), in_b = recipe_options(*b.recipe);
  std::map<std::string, RecipeDifference> all;
  for (const auto& [option, value] : in_a) all[option].a = value;
  for (const auto& [option, value] : in_b) all[option].b = value;
  std::vector<RecipeDifference> differences;
  for (auto& [option, one] : all) {
    if (one.a == one.b || (is_empty(one.a) && is_empty(one.b))) continue;
    one.option = option;
    differences.push_back(std::move(one));
  }
  return differences;
}

std::vector<PlanDifference> plan_differences(const RunToCompare& a, const RunToCompare& b,
                                             const OpsTogether& ops) {
  if (!a.records.plan || !b.records.plan) return {};
  const auto in_a = plans_of(*a.records.plan), in_b = plans_of(*b.records.plan);
  const PlannedValues values_a = values_of(a), values_b = values_of(b);
  std::vector<PlanDifference> differences;
  for (const SameOp& op : ops.ops) {
    const OpPlan* of_a = op_in(in_a, op.a.id);
    const OpPlan* of_b = op_in(in_b, op.b.id);
    if (of_a == nullptr || of_b == nullptr) continue;
    PlanDifference one{.a = op.a,
                       .b = op.b,
                       .type = op.type,
                       .precision_a = of_a->precision,
                       .precision_b = of_b->precision,
                       .form_a = of_a->form,
                       .form_b = of_b->form,
                       .reason_a = of_a->reason,
                       .reason_b = of_b->reason};
    one.other_activation = is_other(found_or_null(values_a.activations, op.a.id),
                                    found_or_null(values_b.activations, op.b.id));
    one.other_weight = has_other_weights(found_or_null(values_a.weights, op.a.id),
                                         found_or_null(values_b.weights, op.b.id));
    const bool is_same = one.precision_a == one.precision_b && one.form_a == one.form_b &&
                         !one.other_activation && !one.other_weight;
    if (!is_same) differences.push_back(std::move(one));
  }
  return differences;
}

ComparedTimes compared_times(const RunToCompare& a, const RunToCompare& b, const OpsTogether& ops) {
  ComparedTimes times;
  times.seconds_a = seconds_of(a);
  times.seconds_b = seconds_of(b);
  const std::vector<Timed> in_a = timed_in(a), in_b = timed_in(b);
  if (!in_a.empty()) times.a = in_a.front().wall;
  if (!in_b.empty()) times.b = in_b.front().wall;
  const auto [of_a, of_b] = timed_alike(in_a, in_b);
  if (of_a == nullptr || !(of_a->wall.median_us > 0)) return times;
  times.a = of_a->wall;
  times.b = of_b->wall;
  times.ratio = times.b->median_us / times.a->median_us;
  const auto [low_a, high_a] = times.a->median_interval;
  const auto [low_b, high_b] = times.b->median_interval;
  if (low_a > 0 && high_a > 0) times.ratio_interval = {low_b / high_a, high_b / low_a};
  add_op_times(a, b, ops, times);
  return times;
}

}  // namespace quantlens
