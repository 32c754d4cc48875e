// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "quantlens/base/loss.h"
#include "quantlens/base/words.h"
#include "quantlens/compare/compare_parts.h"

namespace quantlens {
namespace {

std::string word_of(ComparisonVerdict verdict) {
  return std::string(word(verdict));
}

/// Activations.
std::uint64_t compared_by_both(const Comparison& made) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      made.ops, [](const ComparedOp& op) { return op.difference_db.has_value(); }));
}

bool has_failed(const ComparedRun& run) {
  return run.state != WorkloadState::success;
}

void add_of_run(const RunToCompare& run, const ComparedRun& who, const char* which,
                Statements& to) {
  if (!has_failed(who)) return;
  to.push_back(
      {"compare.failed",
       {{"which", figure::text(which)}, {"message", figure::text(run.records.run.message)}}});
}

bool has_both_diagnosed(const Comparison& made) {
  return made.a.diagnosed && made.b.diagnosed;
}

Statement not_diagnosed(const Comparison& made) {
  if (!made.a.diagnosed && !made.b.diagnosed) return {"compare.none_diagnosed", {}};
  return {"compare.not_diagnosed", {{"which", figure::text(made.a.diagnosed ? "B" : "A")}}};
}

bool has_models(const Comparison& made) {
  return !made.a.models.empty() && !made.b.models.empty();
}

/// Both diagnosed: how their figures may be held against each other.
void add_of_diagnoses(const Common& common, const Comparison& comparison, Statements& to) {
  const ComparedRun &a = comparison.a, &b = comparison.b;
  if (!has_both_diagnosed(comparison) || compared_by_both(comparison) == 0) return;
  if (!common.data || a.samples != b.samples) {
    to.push_back({common.data ? "compare.other_samples" : "compare.other_data",
                  {{"a", figure::count(a.samples)}, {"b", figure::count(b.samples)}}});
    return;
  }
  const auto without =
      static_cast<std::uint64_t>(std::ranges::count_if(comparison.ops, [](const ComparedOp& op) {
        return op.difference_db && *op.difference_db != 0 && !op.difference_interval &&
               op.verdict == ComparisonVerdict::undecided;
      }));
  if (without > 0) to.push_back({"compare.no_intervals", {{"ops", figure::count(without)}}});
}

/// As it was asked for, with its options; else its name.
Figure metric_of(const ComparedRun& run, const Accuracy& accuracy) {
  return figure::text(run.metric.empty() ? accuracy.metric : run.metric);
}

void add_of_accuracy(const Comparison& made, Statements& to) {
  const ComparedAccuracy& accuracy = made.accuracy;
  if (!accuracy.a || !accuracy.b) return;
  if (!accuracy.difference) {
    to.push_back({"compare.other_metric",
                  {{"a", metric_of(made.a, *accuracy.a)}, {"b", metric_of(made.b, *accuracy.b)}}});
  } else if (accuracy.interval_is == AccuracyInterval::unpaired) {
    to.push_back({"compare.accuracy_unpaired", {}});
  } else if (accuracy.interval_is == AccuracyInterval::bounds) {
    to.push_back({"compare.accuracy_bounds", {}});
  }
}

Statement said_of_ops(const Comparison& made) {
  return {"compare.ops",
          {{"of", figure::count(compared_by_both(made))},
           {"worse", figure::count(made.counts.worse)},
           {"better", figure::count(made.counts.better)},
           {"equal", figure::count(made.counts.equal)},
           {"undecided", figure::count(made.counts.undecided)}}};
}

void add_interval(const std::optional<std::array<double, 2>>& interval, Statement& said) {
  if (interval) said.figures.emplace("interval", figure::numbers(*interval));
}

void add_first(const Comparison& made, ComparisonVerdict verdict, const char* says,
               Statements& to) {
  // One that is exact in one of the runs is in float there: that says less than any figure.
  auto found = std::ranges::find_if(made.ops, [&](const ComparedOp& op) {
    return op.verdict == verdict && std::isfinite(*op.difference_db);
  });
  if (found == made.ops.end()) found = std::ranges::find(made.ops, verdict, &ComparedOp::verdict);
  if (found == made.ops.end()) return;
  Statement said{
      says,
      {{"op", figure::op(found->b)}, {"difference", figure::decibels(*found->difference_db)}}};
  add_interval(found->difference_interval, said);
  to.push_back(std::move(said));
}

/// Of the activations that both compared: those that are no numbers in one of the runs alone.
void add_nonfinite(const Comparison& made, Statements& to) {
  const auto add = [&](const char* which, auto of_this, auto of_other) {
    const auto is_lost = [=](const ComparedOp& op) {
      return op.difference_db && op.*of_this > 0 && op.*of_other == 0;
    };
    const auto first = std::ranges::find_if(made.ops, is_lost);
    if (first == made.ops.end()) return;
    const auto ops = static_cast<std::uint64_t>(std::ranges::count_if(made.ops, is_lost));
    to.push_back({"compare.nonfinite",
                  {{"which", figure::text(which)},
                   {"ops", figure::count(ops)},
                   {"op", figure::op(first->b)}}});
  };
  add("B", &ComparedOp::became_nonfinite_b, &ComparedOp::became_nonfinite_a);
  add("A", &ComparedOp::became_nonfinite_a, &ComparedOp::became_nonfinite_b);
}

/// The one whose difference is told first; of several how many there are.
void add_outputs(const Comparison& made, Statements& to) {
  const auto is_compared = [](const ComparedOp& op) { return op.is_output && op.difference_db; };
  const auto found = std::ranges::find_if(made.ops, is_compared);
  if (found == made.ops.end()) return;
  Statement said{
      "compare.output",
      {{"op", figure::op(found->b)},
       {"of",
        figure::count(static_cast<std::uint64_t>(std::ranges::count_if(made.ops, is_compared)))},
       {"a", figure::decibels(*found->sqnr_a_db)},
       {"b", figure::decibels(*found->sqnr_b_db)},
       {"verdict", figure::text(word_of(found->verdict))},
       {"difference", figure::decibels(*found->difference_db)}}};
  add_interval(found->difference_interval, said);
  to.push_back(std::move(said));
}

/// How much of the network is in int8, where that is not the same.
void add_int8(const Comparison& made, Statements& to) {
  const ComparedRun &a = made.a, &b = made.b;
  if (!a.ops || !b.ops || (a.ops == b.ops && a.ops_quantized == b.ops_quantized)) return;
  to.push_back({"compare.int8",
                {{"a", figure::count(*a.ops_quantized)},
                 {"of_a", figure::count(*a.ops)},
                 {"b", figure::count(*b.ops_quantized)},
                 {"of_b", figure::count(*b.ops)}}});
}

/// Whether the models that the two were held against scored otherwise.
bool has_other_references(const ComparedAccuracy& accuracy) {
  return accuracy.reference_a && accuracy.reference_b &&
         accuracy.reference_a->value != accuracy.reference_b->value;
}

/// What each lost of the model that it was held against, where those are not alike.
void add_references(const ComparedAccuracy& accuracy, Statements& to) {
  if (!accuracy.difference || !has_other_references(accuracy)) return;
  const Accuracy &of_a = *accuracy.reference_a, &of_b = *accuracy.reference_b;
  const auto lost = [](const Accuracy& from, const Accuracy& model) {
    return figure::number(
        loss_of(from.value, model.value - from.value, from.higher_is_better, false));
  };
  to.push_back({"compare.references",
                {{"a", figure::number(of_a.value)},
                 {"b", figure::number(of_b.value)},
                 {"lost_a", lost(of_a, *accuracy.a)},
                 {"lost_b", lost(of_b, *accuracy.b)}}});
}

void add_accuracy(const ComparedAccuracy& accuracy, Statements& to) {
  if (!accuracy.difference) return;
  Statement said{"compare.accuracy",
                 {{"metric", figure::text(accuracy.b->metric)},
                  {"a", figure::number(accuracy.a->value)},
                  {"b", figure::number(accuracy.b->value)},
                  {"verdict", figure::text(word_of(accuracy.verdict))},
                  {"difference", figure::number(*accuracy.difference)}}};
  add_interval(accuracy.difference_interval, said);
  to.push_back(std::move(said));
}

void add_times(const Comparison& made, Statements& to) {
  const ComparedTimes& times = made.times;
  if (!times.ratio) return;
  const bool are_pairs = made.a.models.size() > 1 && made.b.models.size() > 1;
  Statement said{"compare.time",
                 {{"ratio", figure::number(*times.ratio)},
                  {"model", figure::text(are_pairs ? "the quantized model" : "the model")}}};
  add_interval(times.ratio_interval, said);
  to.push_back(std::move(said));
}

/// Whether the records hold any difference, told or not.
bool is_alike(const Comparison& made) {
  const ComparisonCounts& n = made.counts;
  const bool no_ops = n.better + n.worse + n.undecided + n.unknown + n.only_a + n.only_b == 0 &&
                      std::ranges::all_of(made.ops, [](const ComparedOp& op) {
                        return op.difference_db == 0.0 && op.precision_a == op.precision_b;
                      });
  const bool no_findings = n.findings_new + n.findings_gone + n.findings_changed == 0;
  const bool no_accuracy = made.accuracy.a.has_value() == made.accuracy.b.has_value() &&
                           (!made.accuracy.a || made.accuracy.difference == 0.0) &&
                           !has_other_references(made.accuracy);
  return no_ops && no_findings && no_accuracy && made.recipe.empty() && made.plan.empty();
}

}  // namespace

Statements caveats_of(const RunToCompare& a, const RunToCompare& b, const Common& common,
                      const Comparison& comparison) {
  Statements caveats;
  add_of_run(a, comparison.a, "A", caveats);
  if (common.run) return caveats;
  add_of_run(b, comparison.b, "B", caveats);
  if (!comparison.a.diagnosed || !comparison.b.diagnosed)
    caveats.push_back(not_diagnosed(comparison));
  const bool are_known = !comparison.a.verb.empty() && !comparison.b.verb.empty();
  const bool other_verb = are_known && comparison.a.verb != comparison.b.verb;
  if (other_verb && !has_both_diagnosed(comparison)) {
    caveats.push_back(
        {"compare.other_verb",
         {{"a", figure::text(comparison.a.verb)}, {"b", figure::text(comparison.b.verb)}}});
  }
  if (common.crossed) {
    caveats.push_back({"compare.crossed", {}});
  } else if (!common.reference && has_models(comparison)) {
    caveats.push_back({"compare.other_reference",
                       {{"matched", figure::count(comparison.counts.matched)},
                        {"only_a", figure::count(comparison.counts.only_a)},
                        {"only_b", figure::count(comparison.counts.only_b)}}});
  }
  add_of_diagnoses(common, comparison, caveats);
  add_of_accuracy(comparison, caveats);
  return caveats;
}

Statements conclusions_of(const Comparison& comparison, const Common& common) {
  Statements said;
  if (common.run) {
    said.push_back({"compare.same_run", {}});
    return said;
  }
  const ComparisonCounts& counts = comparison.counts;
  const bool has_figure = compared_by_both(comparison) > 0 || comparison.accuracy.difference;
  const bool is_told = has_figure || comparison.times.ratio;
  if (has_figure && is_alike(comparison)) {
    said.push_back({"compare.alike", {}});
  } else if (!is_told) {
    said.push_back({"compare.nothing", {}});
  } else {
    if (comparison.same_models) said.push_back({"compare.same_models", {}});
    add_accuracy(comparison.accuracy, said);
    add_references(comparison.accuracy, said);
    add_nonfinite(comparison, said);
    add_outputs(comparison, said);
    if (compared_by_both(comparison) > 0) said.push_back(said_of_ops(comparison));
    add_first(comparison, ComparisonVerdict::worse, "compare.worst", said);
    add_first(comparison, ComparisonVerdict::better, "compare.best", said);
    add_int8(comparison, said);
  }
  if (counts.matched > 0 &&
      counts.findings_new + counts.findings_gone + counts.findings_changed > 0) {
    said.push_back({"compare.findings",
                    {{"new", figure::count(counts.findings_new)},
                     {"gone", figure::count(counts.findings_gone)},
                     {"changed", figure::count(counts.findings_changed)}}});
  }
  add_times(comparison, said);
  return said;
}

}  // namespace quantlens
