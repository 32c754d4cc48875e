// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/comparison_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
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

Table ops_table(const std::string& title, const Comparison& comparison, ComparisonVerdict verdict) {
  Table table{.title = title,
              .columns = {{.title = "OP name", .keep = true},
                          {.title = "type"},
                          {.title = "SQNR A"},
                          {.title = "SQNR B"},
                          {.title = "difference (dB)", .keep = true},
                          {.title = "error share A"},
                          {.title = "error share B"},
                          {.title = "A in"},
                          {.title = "B in"}},
              .rows = {}};
  for (const ComparedOp& op : comparison.ops) {
    if (op.verdict != verdict) continue;
    table.rows.push_back({name_of(op.a, op.b), op.type, cell_of(op.sqnr_a_db),
                          cell_of(op.sqnr_b_db), difference_cell(op), cell_of(op.output_share_a),
                          cell_of(op.output_share_b), word_cell(op.precision_a),
                          word_cell(op.precision_b)});
  }
  return table;
}

Table findings_table(const Comparison& comparison) {
  Table table{.title = "Findings",
              .columns = {{.title = "finding", .keep = true},
                          {.title = "rule", .keep = true},
                          {.title = "OP name", .keep = true},
                          {.title = "error share A"},
                          {.title = "error share B"},
                          {.title = "why"}},
              .rows = {}};
  for (const ComparedFinding& one : comparison.findings) {
    if (one.change == FindingChange::same) continue;
    table.rows.push_back({std::string(word(one.change)), one.rule, (one.b ? *one.b : *one.a).name,
                          cell_of(one.output_share_a), cell_of(one.output_share_b),
                          text_of(one.reasons)});
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
  if (one.other_activation) notes.emplace_back("other range or scheme of its values");
  if (one.other_weight) notes.emplace_back("other scales or scheme of its weight");
  if (!one.reason_a.empty()) notes.push_back("A: " + one.reason_a);
  if (!one.reason_b.empty()) notes.push_back("B: " + one.reason_b);
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
  return text;
}

Table plan_table(const Comparison& comparison) {
  Table table{.title = "Plan",
              .columns = {{.title = "OP name", .keep = true},
                          {.title = "type"},
                          {.title = "A"},
                          {.title = "B"},
                          {.title = "what differs"}},
              .rows = {}};
  for (const PlanDifference& one : comparison.plan) {
    table.rows.push_back({name_of(one.a, one.b), one.type, planned(one.precision_a, one.form_a),
                          planned(one.precision_b, one.form_b), plan_notes(one)});
  }
  return table;
}

Table times_table(const Comparison& comparison) {
  Table table{.title = "Times",
              .columns = {{.title = "what", .keep = true}, {.title = "A"}, {.title = "B"}},
              .rows = {}};
  const ComparedTimes& times = comparison.times;
  if (times.a || times.b) {
    const auto median = [](const std::optional<WallTime>& wall) {
      return cell_of(wall ? std::optional(wall->median_us / 1000) : std::nullopt);
    };
    table.rows.push_back({std::string("run of the model (ms)"), median(times.a), median(times.b)});
  }
  for (const OpTimeDifference& one : times.ops)
    table.rows.push_back({name_of(one.a, one.b) + " (us)", one.us_a, one.us_b});
  if (times.seconds_a || times.seconds_b) {
    table.rows.push_back(
        {std::string("whole run (s)"), cell_of(times.seconds_a), cell_of(times.seconds_b)});
  }
  return table;
}

Table lone_table(const Comparison& comparison) {
  Table table{.title = "Ops without a partner",
              .columns = {{.title = "only in", .keep = true},
                          {.title = "OP name", .keep = true},
                          {.title = "type"}},
              .rows = {}};
  for (const LoneOp& one : comparison.only_a)
    table.rows.push_back({std::string("A"), one.op.name, one.type});
  for (const LoneOp& one : comparison.only_b)
    table.rows.push_back({std::string("B"), one.op.name, one.type});
  return table;
}

/// All that have rows, in the order in which they are read.
std::vector<Table> tables_of(const Comparison& comparison) {
  std::vector<Table> tables{findings_table(comparison),
                            ops_table("Worse in B", comparison, ComparisonVerdict::worse),
                            ops_table("Better in B", comparison, ComparisonVerdict::better),
                            lone_table(comparison),
                            plan_table(comparison),
                            recipe_table(comparison),
                            times_table(comparison)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::string who_line(const char* which, const ComparedRun& run) {
  return fmt::format("{}: {} of '{}', made {}", which, run.id, run.verb, run.created);
}

/// The last sentence may end as one that another follows.
std::string paragraph(const Statements& said) {
  std::string text = text_of(said);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const RunView& view) {
  if (view.markdown) return comparison_markdown(comparison, view);
  std::string text = wrapped(printable(paragraph(comparison.conclusions)), 0);
  if (const std::string caution = paragraph(comparison.caveats); !caution.empty())
    text += "\n" + wrapped(printable(caution), 0);
  text += fmt::format("\n{}\n{}\n", printable(who_line("A", comparison.a)),
                      printable(who_line("B", comparison.b)));
  for (const Table& table : tables_of(comparison)) text += "\n" + to_text(table, view.text);
  return text;
}

std::string comparison_markdown(const Comparison& comparison, const RunView& view) {
  std::string text = fmt::format("## quantlens: what is different in B\n\n{}\n\n",
                                 markdown_prose(paragraph(comparison.conclusions)));
  if (const std::string caution = paragraph(comparison.caveats); !caution.empty())
    text += markdown_prose(caution) + "\n\n";
  text += fmt::format("- {}\n- {}\n\n", markdown_prose(who_line("A", comparison.a)),
                      markdown_prose(who_line("B", comparison.b)));
  for (const Table& table : tables_of(comparison))
    text += to_markdown(table, view.text.rows) + "\n";
  return text;
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
                          {.title = "error share A"},
                          {.title = "error share B"},
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
