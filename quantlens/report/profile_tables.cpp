// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/profile_tables.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/json.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/record/files.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/statement_text.h"

namespace quantlens {
namespace {

Cell rounded(double us) {
  return static_cast<std::int64_t>(std::llround(us));
}

/// Two decimals: ten nanoseconds, or what a rate is worth.
Cell hundredths(double number) {
  return std::round(number * 100) / 100 + 0.0;  // never -0.0
}

Cell hundredths_or_nothing(const std::optional<double>& number) {
  return number ? hundredths(*number) : Cell(std::string());
}

Cell count_or_nothing(const std::optional<std::uint64_t>& number) {
  return number ? Cell(static_cast<std::int64_t>(*number)) : Cell(std::string());
}

std::string list(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ";"));
}

/// "Conv x12, Add": types in order of first use, with their counts.
std::string type_counts(const std::vector<std::string>& types) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& type : types) {
    const auto found = std::ranges::find(counts, type, &std::pair<std::string, int>::first);
    if (found == counts.end()) {
      counts.emplace_back(type, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (const auto& [type, count] : counts) {
    if (!text.empty()) text += " + ";
    text += count == 1 ? type : fmt::format("{} x{}", type, count);
  }
  return text;
}

struct ProfileColumn {
  Column column;
  Cell (*cell)(const NodeTime&);
};

constexpr bool kInFiles = true;

// clang-format off
const ProfileColumn kColumns[] = {
    // as the predecessors, in their order
    {{"Node name"}, [](const NodeTime& n) { return Cell(n.name); }},
    {{"Total execution time [us]"}, [](const NodeTime& n) { return rounded(n.total_us); }},
    {{"Accelerator execution time [us]"}, [](const NodeTime& n) { return rounded(n.accelerator_us); }},
    {{"CPU execution time [us]"}, [](const NodeTime& n) { return rounded(n.cpu_us); }},
    {{"OP run"}, [](const NodeTime& n) { return Cell(static_cast<std::int64_t>(n.runs)); }},
    {{"OP defined"}, [](const NodeTime& n) { return Cell(static_cast<std::int64_t>(n.defined)); }},
    // ours
    {{"Mean [us]", false, true}, [](const NodeTime& n) { return hundredths(n.mean_us); }},
    {{"Share [%]", false, true}, [](const NodeTime& n) { return hundredths(100 * n.share); }},
    {{"Type"}, [](const NodeTime& n) { return Cell(n.type); }},
    {{"Median [us]"}, [](const NodeTime& n) { return hundredths(n.median_us); }},
    {{"P95 [us]"}, [](const NodeTime& n) { return hundredths(n.p95_us); }},
    {{"Bound", false, true}, [](const NodeTime& n) { return n.bound ? Cell(std::string(word(*n.bound))) : Cell(std::string()); }},
    {{"GOP/s"}, [](const NodeTime& n) { return hundredths_or_nothing(n.gop_per_second); }},
    {{"GB/s"}, [](const NodeTime& n) { return hundredths_or_nothing(n.gb_per_second); }},
    {{"Scaling", false, true}, [](const NodeTime& n) { return hundredths_or_nothing(n.scaling); }},
    {{"Role", kInFiles}, [](const NodeTime& n) { return Cell(std::string(word(n.role))); }},
    {{"Operations", kInFiles}, [](const NodeTime& n) { return count_or_nothing(n.operations); }},
    {{"Bytes", kInFiles}, [](const NodeTime& n) { return count_or_nothing(n.bytes); }},
    {{"Inputs", kInFiles}, [](const NodeTime& n) { return Cell(list(n.inputs)); }},
    {{"Outputs", kInFiles}, [](const NodeTime& n) { return Cell(list(n.outputs)); }},
    {{"OP names", kInFiles}, [](const NodeTime& n) { return Cell(list(names_of(n.ops))); }},
    {{"Provider", kInFiles}, [](const NodeTime& n) { return Cell(n.provider); }},
    {{"Position", kInFiles}, [](const NodeTime& n) { return Cell(static_cast<std::int64_t>(n.position)); }},
};
// clang-format on

/// The op that people look for: the first, and how many more.
std::string row_name(const OpTime& row) {
  if (row.ops.empty()) return "(no op)";
  if (row.ops.size() == 1) return row.ops.front().name;
  return fmt::format("{} +{}", row.ops.front().name, row.ops.size() - 1);
}

/// A row for all ops of a type.
std::vector<OpTime> by_type(const std::vector<OpTime>& ops) {
  std::map<std::string, OpTime> types;
  for (const OpTime& op : ops) {
    OpTime& row = types[op.type];
    row.ops = {{.id = {}, .name = op.type.empty() ? "(no op)" : op.type}};
    row.type = op.type;
    row.reference_us += op.reference_us;
    row.quantized_us += op.quantized_us;
    row.conversion_us += op.conversion_us;
    row.layout_us += op.layout_us;
    row.gain_us += op.gain_us;
    row.quantized = row.quantized || op.quantized;
    const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(row.reference_nodes, op.reference_nodes);
    append(row.quantized_nodes, op.quantized_nodes);
  }
  std::vector<OpTime> rows;
  rows.reserve(types.size());
  for (auto& [type, row] : types) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, {}, &OpTime::gain_us);
  return rows;
}

/// "32 nodes take", "1 node takes".
std::string nodes_text(std::size_t count, const char* verb) {
  return fmt::format("{} node{} {}{}", count, count == 1 ? "" : "s", verb, count == 1 ? "s" : "");
}

/// What the wall time of a run is called, or that there was none.
std::string run_text(const Profile& profile) {
  const WallTime& wall = profile.wall;
  if (wall.runs == 0) return "no whole run is told of";
  if (profile.source != ProfileSource::quantlens) {
    return fmt::format("one run takes {:.1f} us (mean of {}; median {:.1f}, p95 {:.1f})",
                       wall.mean_us, wall.runs, wall.median_us, wall.p95_us);
  }
  return fmt::format("one run takes {:.1f} us (median of {}, {} thread{}; p95 {:.1f})",
                     wall.median_us, wall.runs, profile.threads, profile.threads == 1 ? "" : "s",
                     wall.p95_us);
}

}  // namespace

Table profiling_table(const Profile& profile, ProfileRows rows) {
  Table table{.title = "Profiling", .columns = {}, .rows = {}};
  for (const ProfileColumn& column : kColumns) table.columns.push_back(column.column);
  for (const NodeTime& node : rows == ProfileRows::nodes ? profile.nodes : profile.types) {
    std::vector<Cell> cells;
    for (const ProfileColumn& column : kColumns) cells.push_back(column.cell(node));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table joined_table(const ProfileRecord& pair, ProfileRows rows) {
  Table table{.title = "Profiling of both models", .columns = {}, .rows = {}};
  table.columns = {{"OP name"},
                   {"OP type"},
                   {"Float [us]", false, true},
                   {"Int8 [us]", false, true},
                   {"Conversions [us]"},
                   {"Layouts [us]"},
                   {"Gain [us]", false, true},
                   {"Float nodes"},
                   {"Int8 nodes"},
                   {"OP names", kInFiles},
                   {"Quantized", kInFiles}};
  for (const OpTime& row : rows == ProfileRows::nodes ? pair.ops : by_type(pair.ops)) {
    table.rows.push_back({row_name(row), row.type, hundredths(row.reference_us),
                          hundredths(row.quantized_us), hundredths(row.conversion_us),
                          hundredths(row.layout_us), hundredths(row.gain_us),
                          type_counts(row.reference_nodes), type_counts(row.quantized_nodes),
                          list(names_of(row.ops)), static_cast<std::int64_t>(row.quantized)});
  }
  return table;
}

std::string profiling_data(const Profile& profile) {
  const auto whole = [](double us) { return std::llround(us); };
  std::string text = "[";
  for (const NodeTime& node : profile.nodes) {
    text += text.size() == 1 ? "\n" : ",\n";
    std::string name = json::dump(json::encode(node.name));
    name.pop_back();  // its newline
    text += fmt::format(
        "    {{\n        \"node_name\": {},\n        \"total_execution_time\": {},\n"
        "        \"accelerator_execution_time\": {},\n        \"cpu_execution_time\": {},\n"
        "        \"op_run\": {},\n        \"op_defined\": {}\n    }}",
        name, whole(node.total_us), whole(node.accelerator_us), whole(node.cpu_us), node.runs,
        node.defined);
  }
  return text + (text.size() == 1 ? "]\n" : "\n]\n");
}

std::string profile_text(const Profile& profile, const std::string& label) {
  constexpr double kMuch = 0.1;
  const bool is_ours = profile.source == ProfileSource::quantlens;
  const double wall = is_ours ? profile.wall.median_us : profile.wall.mean_us;
  const double left = wall - profile.nodes_us - profile.outside_us;
  std::string text = fmt::format("{}{}: ", label, run_text(profile));
  if (wall <= 0) {
    return wrapped(text + fmt::format("the {} {:.1f} us", nodes_text(profile.nodes.size(), "take"),
                                      profile.nodes_us),
                   0);
  }
  const auto percent = [&](double us) { return fmt::format("({:.1f}%)", 100 * us / wall); };
  text += fmt::format(
      "the {} {:.1f} us {}, entering and leaving the runtime {:.1f}, "
      "unexplained {:.1f} {}",
      nodes_text(profile.nodes.size(), "explain"), profile.nodes_us, percent(profile.nodes_us),
      profile.outside_us, left, percent(left));
  if (is_ours) {
    text += fmt::format("; {:.3f} us for its timer is taken off each node", profile.event_us);
  }
  if (std::abs(left) > kMuch * wall) {
    text +=
        "; more than a tenth of a run is unexplained, so the nodes' times are off by as much: the "
        "machine is busy, or the nodes are too many and too short to be told apart";
  }
  return wrapped(text, 0);
}

std::string_view speed_note() {
  return "Milliseconds of a finding compare with the float model. A finding has a recipe where the "
         "model was timed with that recipe alone, and was faster. quantlens tune --objective speed "
         "looks for the best mix.";
}

std::string speed_text(const ProfileRecord& pair) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kIndent = 3;
  constexpr std::size_t kNames = 3;
  constexpr std::size_t kLongest = 300;
  std::string text = wrapped(printable(text_of(pair.conclusions)), 0);
  std::size_t number = 0;
  for (const SpeedFinding& finding : pair.findings) {
    if (++number > kShown) {
      text += fmt::format("{} in profile.json\n",
                          counted(pair.findings.size() - kShown, "more finding"));
      break;
    }
    std::vector<std::string> names = names_of(finding.ops);
    names.resize(std::min(kNames, names.size()));
    std::string ops = list(names);
    if (finding.ops.size() > kNames)
      ops += fmt::format(" and {} more", finding.ops.size() - kNames);
    text += fmt::format("{}. ", number);
    text += wrapped(fmt::format("{}, {:.3f} ms: {}: {}", word(finding.rule), finding.milliseconds,
                                printable(ops), printable(text_of(finding.reasons))),
                    kIndent);
    if (finding.remedy.is_null()) continue;
    const std::string remedy = json::line(finding.remedy);
    const std::string recipe = remedy.size() <= kLongest
                                   ? printable(remedy)
                                   : exported::remedy(number) + " in the workload";
    text += "   " + wrapped("recipe: " + recipe, kIndent);
  }
  if (!pair.findings.empty()) {
    text += wrapped(speed_note(), 0);
  }
  return text;
}

}  // namespace quantlens
