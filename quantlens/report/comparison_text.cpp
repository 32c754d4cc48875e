// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/comparison_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/record/data_of.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/markdown_prose.h"
#include "quantlens/report/statement_text.h"

namespace quantlens {
namespace {

template <class Enum>
Cell word_cell(const std::optional<Enum>& value) {
  return value ? Cell(std::string(word(*value))) : Cell(std::string());
}

/// One name where both runs have the same one.
std::string name_of(const OpRef& a, const OpRef& b) {
  return a.name == b.name ? b.name : a.name + " -> " + b.name;
}

Cell difference_cell(const ComparedOp& op) {
  if (!op.difference_db) return std::string();
  if (!op.difference_interval) return *op.difference_db;
  return Estimate{*op.difference_db, *op.difference_interval};
}

/// "50 % (9 to 94)", as findings say it.
Cell share_cell(const std::optional<double>& share,
                const std::optional<std::array<double, 2>>& interval = {}) {
  if (!share) return std::string();
  const std::string text = whole_percent(*share) + " %";
  if (!interval) return text;
  const auto& [low, high] = *interval;
  return fmt::format("{} ({} to {})", text, whole_percent(low), whole_percent(high));
}

Table ops_table(const std::string& title, const Comparison& comparison, ComparisonVerdict verdict) {
  Table table{.title = title,
              .columns = {{.title = "OP name", .keep = true},
                          {.title = "type"},
                          {.title = "SQNR A"},
                          {.title = "SQNR B"},
                          {.title = "difference (dB)", .keep = true},
                          {.title = "output share A"},
                          {.title = "output share B"},
                          {.title = "A in"},
                          {.title = "B in"}},
              .rows = {}};
  for (const ComparedOp& op : comparison.ops) {
    if (op.verdict != verdict) continue;
    table.rows.push_back({name_of(op.a, op.b), op.type, cell_of(op.sqnr_a_db),
                          cell_of(op.sqnr_b_db), difference_cell(op), share_cell(op.output_share_a),
                          share_cell(op.output_share_b), word_cell(op.precision_a),
                          word_cell(op.precision_b)});
  }
  return table;
}

/// "changed: note to problem" where that is what changed.
std::string changed_text(const ComparedFinding& one) {
  std::string text(word(one.change));
  if (one.change != FindingChange::changed) return text;
  if (one.severity_a == one.severity_b) return text + ": its share";
  return fmt::format("{}: {} to {}", text, word(*one.severity_a), word(*one.severity_b));
}

/// How the shares of the outputs' error were found; docs/rules.md.
std::string share_kind(const ComparedFinding& one) {
  const auto kind = [](bool measured) { return measured ? "measured" : "estimated"; };
  std::string a = kind(one.share_is_measured_a), b = kind(one.share_is_measured_b);
  if (one.output_share_a && one.output_share_b && a != b) return a + " in A, " + b + " in B";
  if (one.output_share_b) return b;
  return one.output_share_a ? a : std::string();
}

Table findings_table(const Comparison& comparison) {
  Table table{.title = "Findings",
              .columns = {{.title = "finding", .keep = true},
                          {.title = "rule", .keep = true},
                          {.title = "OP name", .keep = true},
                          {.title = "share A"},
                          {.title = "share B"},
                          {.title = "share is"},
                          {.title = "why"}},
              .rows = {}};
  if (comparison.counts.matched == 0) return table;  // of two networks none is the other's
  for (const ComparedFinding& one : comparison.findings) {
    if (one.change == FindingChange::same) continue;
    table.rows.push_back({changed_text(one), one.rule, (one.b ? *one.b : *one.a).name,
                          share_cell(one.output_share_a, one.output_share_interval_a),
                          share_cell(one.output_share_b, one.output_share_interval_b),
                          share_kind(one), text_of(one.reasons)});
  }
  return table;
}

std::string option_text(const json::Value& value) {
  if (value.is_null()) return "not set";
  const auto* text = value.if_string();
  return text != nullptr ? std::string(*text) : json::line(value);
}

Table recipe_table(const Comparison& comparison) {
  Table table{.title = "Recipe",
              .columns = {{.title = "option", .keep = true}, {.title = "A"}, {.title = "B"}},
              .rows = {}};
  for (const RecipeDifference& one : comparison.recipe)
    table.rows.push_back({one.option, option_text(one.a), option_text(one.b)});
  return table;
}

std::string planned(Precision precision, OpForm form) {
  if (form == OpForm::float_) return std::string(word(precision));
  return fmt::format("{} {}", word(precision), word(form));
}

std::string plan_notes(const PlanDifference& one) {
  std::vector<std::string> notes;
  if (one.precision_a == one.precision_b && one.form_a == one.form_b) {
    if (one.other_activation) notes.emplace_back("other range or scheme of its values");
    if (one.other_weight) notes.emplace_back("other scales or scheme of its weight");
  }
  if (!one.reason_a.empty()) notes.push_back("A: " + one.reason_a);
  if (!one.reason_b.empty()) notes.push_back("B: " + one.reason_b);
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
  return text;
}

/// Ops whose plans differ in the same way.
struct PlanGroup {
  std::string a, b, notes;
  std::vector<const PlanDifference*> ops;
};

std::vector<PlanGroup> plan_groups(const Comparison& comparison) {
  std::vector<PlanGroup> groups;
  std::map<std::array<std::string, 3>, std::size_t> places;
  for (const PlanDifference& one : comparison.plan) {
    PlanGroup group{.a = planned(one.precision_a, one.form_a),
                    .b = planned(one.precision_b, one.form_b),
                    .notes = plan_notes(one),
                    .ops = {}};
    const auto [place, is_new] =
        places.emplace(std::array{group.a, group.b, group.notes}, groups.size());
    if (is_new) groups.push_back(std::move(group));
    groups[place->second].ops.push_back(&one);
  }
  return groups;
}

/// "3 ops: a, b, c", of many the first ones.
std::string names_of(const std::vector<const PlanDifference*>& ops) {
  constexpr std::size_t kNamed = 3;
  const auto name = [](const PlanDifference* one) { return name_of(one->a, one->b); };
  if (ops.size() == 1) return name(ops.front());
  std::string text = fmt::format("{} ops: ", ops.size());
  for (std::size_t i = 0; i < std::min(ops.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + name(ops[i]);
  return text + (ops.size() > kNamed ? ", …" : "");
}

/// One row for all ops that differ in the same way; JSON has each of them.
Table plan_table(const Comparison& comparison) {
  Table table{.title = "Plan",
              .columns = {{.title = "ops", .keep = true},
                          {.title = "A"},
                          {.title = "B"},
                          {.title = "what differs", .keep = true}},
              .rows = {}};
  for (const PlanGroup& group : plan_groups(comparison))
    table.rows.push_back({names_of(group.ops), group.a, group.b, group.notes});
  return table;
}

Table times_table(const Comparison& comparison) {
  const bool has_ops = !comparison.times.ops.empty();
  Table table{.title = has_ops ? "Times (of ops: kernels, conversions and layouts)" : "Times",
              .columns = {{.title = "what", .keep = true},
                          {.title = "A", .keep = true},
                          {.title = "B", .keep = true},
                          {.title = "B - A"}},
              .rows = {}};
  const auto add = [&](std::string what, const std::optional<double>& a,
                       const std::optional<double>& b) {
    if (!a && !b) return;
    const auto difference = a && b ? std::optional(*b - *a) : std::nullopt;
    table.rows.push_back({std::move(what), cell_of(a), cell_of(b), cell_of(difference)});
  };
  const ComparedTimes& times = comparison.times;
  const auto of = [](const std::optional<WallTime>& wall, double WallTime::*figure) {
    constexpr double kMicroseconds = 1000;
    return wall ? std::optional(*wall.*figure / kMicroseconds) : std::nullopt;
  };
  add("run of the model, median (ms)", of(times.a, &WallTime::median_us),
      of(times.b, &WallTime::median_us));
  add("run of the model, 90 % (ms)", of(times.a, &WallTime::p90_us),
      of(times.b, &WallTime::p90_us));
  add("run of the model, 99 % (ms)", of(times.a, &WallTime::p99_us),
      of(times.b, &WallTime::p99_us));
  for (const OpTimeDifference& one : times.ops)
    add(name_of(one.a, one.b) + " (us)", one.us_a, one.us_b);
  add("whole run of quantlens (s)", times.seconds_a, times.seconds_b);
  return table;
}

Table lone_table(const Comparison& comparison) {
  Table table{.title = "Ops without a partner",
              .columns = {{.title = "only in", .keep = true},
                          {.title = "OP name", .keep = true},
                          {.title = "type"}},
              .rows = {}};
  if (comparison.counts.matched == 0) return table;  // two networks
  for (const LoneOp& one : comparison.only_a)
    table.rows.push_back({std::string("A"), one.op.name, one.type});
  for (const LoneOp& one : comparison.only_b)
    table.rows.push_back({std::string("B"), one.op.name, one.type});
  return table;
}

/// "A: ID of 'quantize', made …, 200 samples of digits.npz, top1"
std::string who_line(const char* which, const ComparedRun& run) {
  if (run.verb.empty())
    return fmt::format("{}: {}, whose own record cannot be read", which, run.id);
  std::string text = fmt::format("{}: {} of '{}', made {}", which, run.id, run.verb, run.created);
  if (const DataUsed* samples = data_of(run.data, DataRole::samples)) {
    text += ", " + counted(samples->samples, "sample");
    const std::string file = fs::path(samples->path).filename().string();
    if (!file.empty()) text += " of " + file;
  }
  return text + (run.metric.empty() ? "" : ", " + run.metric);
}

/// Ops of which nothing is told stand in no table.
std::string others_text(const Comparison& comparison) {
  const std::uint64_t others = comparison.counts.equal + comparison.counts.undecided;
  if (others == 0 || comparison.counts.worse + comparison.counts.better == 0) return {};
  return fmt::format("{} that are equal or not told apart: --output csv has all\n",
                     counted(others, "further activation"));
}

/// The first sentence may begin, and the last one end, as one beside others.
std::string paragraph(const Statements& said) {
  std::string text = text_of(said);
  while (text.ends_with(' ')) text.pop_back();
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const RunView& view) {
  if (view.markdown) return comparison_markdown(comparison, view);
  std::string text = wrapped(printable(paragraph(comparison.conclusions)), 0);
  if (const std::string caution = paragraph(comparison.caveats); !caution.empty())
    text += "\n" + wrapped(printable(caution), 0);
  text += "\n" + wrapped(printable(who_line("A", comparison.a)), 3) +
          wrapped(printable(who_line("B", comparison.b)), 3);
  for (const NamedTable& one : comparison_tables(comparison))
    text += "\n" + to_text(one.table, view.text);
  return text + others_text(comparison);
}

std::string comparison_markdown(const Comparison& comparison, const RunView& view) {
  std::string text = fmt::format("## quantlens: what is different in B\n\n{}\n\n",
                                 markdown_prose(paragraph(comparison.conclusions)));
  if (const std::string caution = paragraph(comparison.caveats); !caution.empty())
    text += markdown_prose(caution) + "\n\n";
  text += fmt::format("- {}\n- {}\n\n", markdown_prose(who_line("A", comparison.a)),
                      markdown_prose(who_line("B", comparison.b)));
  for (const NamedTable& one : comparison_tables(comparison))
    text += to_markdown(one.table, view.text.rows) + "\n";
  return text + markdown_prose(others_text(comparison));
}

std::vector<NamedTable> comparison_tables(const Comparison& comparison) {
  std::vector<NamedTable> tables{
      {"recipe.csv", recipe_table(comparison)},
      {"findings.csv", findings_table(comparison)},
      {"worse.csv", ops_table("Worse in B", comparison, ComparisonVerdict::worse)},
      {"better.csv", ops_table("Better in B", comparison, ComparisonVerdict::better)},
      {"lone.csv", lone_table(comparison)},
      {"plan.csv", plan_table(comparison)},
      {"times.csv", times_table(comparison)}};
  std::erase_if(tables, [](const NamedTable& one) { return one.table.rows.empty(); });
  return tables;
}

Table compared_ops_table(const Comparison& comparison) {
  Table table{.title = "Ops of both runs",
              .columns = {{.title = "OP name A"},
                          {.title = "OP name B"},
                          {.title = "type"},
                          {.title = "matched by"},
                          {.title = "value A"},
                          {.title = "value B"},
                          {.title = "SQNR A (dB)"},
                          {.title = "SQNR B (dB)"},
                          {.title = "difference (dB)"},
                          {.title = "low (dB)"},
                          {.title = "high (dB)"},
                          {.title = "paired"},
                          {.title = "verdict"},
                          {.title = "output share A"},
                          {.title = "output share B"},
                          {.title = "precision A"},
                          {.title = "precision B"}},
              .rows = {}};
  for (const ComparedOp& op : comparison.ops) {
    const auto end = [&](std::size_t which) {
      return op.difference_interval ? Cell((*op.difference_interval)[which]) : Cell(std::string());
    };
    table.rows.push_back({op.a.name, op.b.name, op.type, std::string(word(op.matched_by)),
                          op.value_a, op.value_b, cell_of(op.sqnr_a_db), cell_of(op.sqnr_b_db),
                          cell_of(op.difference_db), end(0), end(1),
                          std::string(op.paired ? "yes" : "no"), std::string(word(op.verdict)),
                          cell_of(op.output_share_a), cell_of(op.output_share_b),
                          word_cell(op.precision_a), word_cell(op.precision_b)});
  }
  return table;
}

boost::json::object comparison_json(const Comparison& comparison) {
  boost::json::object object = json::encode(comparison).as_object();
  object["verdict"] = paragraph(comparison.conclusions);
  object["cautions"] = paragraph(comparison.caveats);
  boost::json::array& findings = object["findings"].as_array();
  for (std::size_t i = 0; i < findings.size(); ++i)
    findings[i].as_object()["because"] = text_of(comparison.findings[i].reasons);
  return object;
}

}  // namespace quantlens
