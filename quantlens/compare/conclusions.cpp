// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "quantlens/base/words.h"
#include "quantlens/compare/compare_parts.h"

namespace quantlens {
namespace {

std::string word_of(ComparisonVerdict verdict) {
  return std::string(word(verdict));
}

bool has_failed(const ComparedRun& run) {
  return run.state != WorkloadState::success;
}

void add_of_run(const RunToCompare& run, const ComparedRun& who, const char* which,
                Statements& to) {
  if (has_failed(who)) {
    to.push_back(
        {"compare.failed",
         {{"which", figure::text(which)}, {"message", figure::text(run.records.run.message)}}});
  }
  if (!who.diagnosed) to.push_back({"compare.not_diagnosed", {{"which", figure::text(which)}}});
}

/// Both diagnosed: how their figures may be held against each other.
void add_of_diagnoses(const Common& common, const Comparison& comparison, Statements& to) {
  const ComparedRun &a = comparison.a, &b = comparison.b;
  if (!a.diagnosed || !b.diagnosed) return;
  if (!common.data || a.samples != b.samples) {
    to.push_back({common.data ? "compare.other_samples" : "compare.other_data",
                  {{"a", figure::count(a.samples)}, {"b", figure::count(b.samples)}}});
    return;
  }
  const auto without =
      static_cast<std::uint64_t>(std::ranges::count_if(comparison.ops, [](const ComparedOp& op) {
        return op.difference_db && *op.difference_db != 0 && !op.difference_interval;
      }));
  if (without > 0) to.push_back({"compare.no_intervals", {{"ops", figure::count(without)}}});
}

void add_of_accuracy(const ComparedAccuracy& accuracy, Statements& to) {
  if (!accuracy.a || !accuracy.b) return;
  if (!accuracy.difference) {
    to.push_back(
        {"compare.other_metric",
         {{"a", figure::text(accuracy.a->metric)}, {"b", figure::text(accuracy.b->metric)}}});
  } else if (accuracy.interval_is == AccuracyInterval::unpaired) {
    to.push_back({"compare.accuracy_unpaired", {}});
  } else if (accuracy.interval_is == AccuracyInterval::bounds) {
    to.push_back({"compare.accuracy_bounds", {}});
  }
}

/// Those that are told as different, among all that both runs compared.
std::uint64_t compared_by_both(const Comparison& made) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      made.ops, [](const ComparedOp& op) { return op.difference_db.has_value(); }));
}

Statement said_of_ops(const Comparison& made) {
  return {"compare.ops",
          {{"of", figure::count(compared_by_both(made))},
           {"worse", figure::count(made.counts.worse)},
           {"better", figure::count(made.counts.better)},
           {"equal", figure::count(made.counts.equal)},
           {"undecided", figure::count(made.counts.undecided)}}};
}

void add_first(const Comparison& made, ComparisonVerdict verdict, const char* says,
               Statements& to) {
  const auto found = std::ranges::find(made.ops, verdict, &ComparedOp::verdict);
  if (found == made.ops.end()) return;
  Statement said{
      says,
      {{"op", figure::op(found->b)}, {"difference", figure::decibels(*found->difference_db)}}};
  if (found->difference_interval)
    said.figures.emplace("interval", figure::numbers(*found->difference_interval));
  to.push_back(std::move(said));
}

void add_accuracy(const ComparedAccuracy& accuracy, Statements& to) {
  if (!accuracy.difference) return;
  Statement said{"compare.accuracy",
                 {{"metric", figure::text(accuracy.b->metric)},
                  {"a", figure::number(accuracy.a->value)},
                  {"b", figure::number(accuracy.b->value)},
                  {"verdict", figure::text(word_of(accuracy.verdict))},
                  {"difference", figure::number(*accuracy.difference)}}};
  if (accuracy.difference_interval)
    said.figures.emplace("interval", figure::numbers(*accuracy.difference_interval));
  to.push_back(std::move(said));
}

void add_times(const ComparedTimes& times, Statements& to) {
  if (!times.ratio) return;
  Statement said{"compare.time", {{"ratio", figure::number(*times.ratio)}}};
  if (times.ratio_interval)
    said.figures.emplace("interval", figure::numbers(*times.ratio_interval));
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
                           (!made.accuracy.a || made.accuracy.difference == 0.0);
  return no_ops && no_findings && no_accuracy && made.recipe.empty() && made.plan.empty();
}

}  // namespace

Statements caveats_of(const RunToCompare& a, const RunToCompare& b, const Common& common,
                      const Comparison& comparison) {
  Statements caveats;
  add_of_run(a, comparison.a, "A", caveats);
  add_of_run(b, comparison.b, "B", caveats);
  if (comparison.a.verb != comparison.b.verb) {
    caveats.push_back(
        {"compare.other_verb",
         {{"a", figure::text(comparison.a.verb)}, {"b", figure::text(comparison.b.verb)}}});
  }
  if (!common.reference) {
    caveats.push_back({"compare.other_reference",
                       {{"matched", figure::count(comparison.counts.matched)},
                        {"only_a", figure::count(comparison.counts.only_a)},
                        {"only_b", figure::count(comparison.counts.only_b)}}});
  }
  add_of_diagnoses(common, comparison, caveats);
  add_of_accuracy(comparison.accuracy, caveats);
  return caveats;
}

Statements conclusions_of(const Comparison& comparison, const Common& common) {
  Statements said;
  if (common.run) {
    said.push_back({"compare.same_run", {}});
    return said;
  }
  const ComparisonCounts& counts = comparison.counts;
  const bool is_told = compared_by_both(comparison) > 0 || comparison.accuracy.difference;
  if (is_told && is_alike(comparison)) {
    said.push_back({"compare.alike", {}});
  } else if (!is_told) {
    said.push_back({"compare.nothing", {}});
  } else {
    add_accuracy(comparison.accuracy, said);
    if (compared_by_both(comparison) > 0) said.push_back(said_of_ops(comparison));
    add_first(comparison, ComparisonVerdict::worse, "compare.worst", said);
    add_first(comparison, ComparisonVerdict::better, "compare.best", said);
  }
  if (counts.findings_new + counts.findings_gone + counts.findings_changed > 0) {
    said.push_back({"compare.findings",
                    {{"new", figure::count(counts.findings_new)},
                     {"gone", figure::count(counts.findings_gone)},
                     {"changed", figure::count(counts.findings_changed)}}});
  }
  add_times(comparison.times, said);
  return said;
}

}  // namespace quantlens
