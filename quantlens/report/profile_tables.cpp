// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/profile_tables.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"

namespace quantlens {
namespace {

Cell rounded(double us) {
  return static_cast<std::int64_t>(std::llround(us));
}

Cell real_or_nothing(const std::optional<double>& number) {
  return number ? Cell(*number) : Cell(std::string());
}

Cell whole_or_nothing(const std::optional<std::uint64_t>& number) {
  return number ? Cell(static_cast<std::int64_t>(*number)) : Cell(std::string());
}

template <class Enum>
std::string word(const Enum& value) {
  return std::string(json::encode(value).get_string());
}

std::string list(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ";"));
}

/// "Conv x12, Add": types in order of first use, with their counts.
std::string counted(const std::vector<std::string>& types) {
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
    {{"Mean [us]", false, true}, [](const NodeTime& n) { return Cell(n.mean_us); }},
    {{"Share [%]", false, true}, [](const NodeTime& n) { return Cell(100 * n.share); }},
    {{"Type"}, [](const NodeTime& n) { return Cell(n.type); }},
    {{"Median [us]"}, [](const NodeTime& n) { return Cell(n.median_us); }},
    {{"P95 [us]"}, [](const NodeTime& n) { return Cell(n.p95_us); }},
    {{"Bound"}, [](const NodeTime& n) { return n.bound ? Cell(word(*n.bound)) : Cell(std::string()); }},
    {{"GOP/s"}, [](const NodeTime& n) { return real_or_nothing(n.gop_per_second); }},
    {{"GB/s"}, [](const NodeTime& n) { return real_or_nothing(n.gb_per_second); }},
    {{"Scaling"}, [](const NodeTime& n) { return real_or_nothing(n.scaling); }},
    {{"Role", kInFiles}, [](const NodeTime& n) { return Cell(word(n.role)); }},
    {{"Operations", kInFiles}, [](const NodeTime& n) { return whole_or_nothing(n.operations); }},
    {{"Bytes", kInFiles}, [](const NodeTime& n) { return whole_or_nothing(n.bytes); }},
    {{"Inputs", kInFiles}, [](const NodeTime& n) { return Cell(list(n.inputs)); }},
    {{"Outputs", kInFiles}, [](const NodeTime& n) { return Cell(list(n.outputs)); }},
    {{"OP names", kInFiles}, [](const NodeTime& n) { return Cell(list(n.names)); }},
    {{"Provider", kInFiles}, [](const NodeTime& n) { return Cell(n.provider); }},
    {{"Position", kInFiles}, [](const NodeTime& n) { return Cell(static_cast<std::int64_t>(n.position)); }},
};
// clang-format on

/// The op that people look for: the first, and how many more.
std::string row_name(const OpTime& row) {
  if (row.names.empty()) return "(no op)";
  if (row.names.size() == 1) return row.names.front();
  return fmt::format("{} +{}", row.names.front(), row.names.size() - 1);
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

Table joined_table(const ProfilePair& pair) {
  Table table{.title = "Profiling of both models", .columns = {}, .rows = {}};
  table.columns = {{"OP name"},
                   {"OP type"},
                   {"Float [us]", false, true},
                   {"Int8 [us]", false, true},
                   {"Conversions [us]", false, true},
                   {"Layouts [us]", false, true},
                   {"Gain [us]", false, true},
                   {"Float nodes"},
                   {"Int8 nodes"},
                   {"OP names", kInFiles},
                   {"Quantized", kInFiles}};
  for (const OpTime& row : pair.ops) {
    table.rows.push_back({row_name(row), row.type, row.reference_us, row.quantized_us,
                          row.conversion_us, row.layout_us, row.gain_us,
                          counted(row.reference_nodes), counted(row.quantized_nodes),
                          list(row.names), static_cast<std::int64_t>(row.quantized)});
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

std::string profile_text(const Profile& profile) {
  const double told = profile.nodes_us + profile.outside_us;
  const double wall = profile.explained > 0 ? told / profile.explained : told;
  const auto percent = [&](double us) { return wall > 0 ? 100 * us / wall : 0; };
  std::string text = fmt::format(
      "one run takes {:.1f} us (median of {}{}; p95 {:.1f}): the {} nodes explain {:.1f} us "
      "({:.1f} "
      "%), entering and leaving the runtime {:.1f}, unexplained {:.1f} ({:.1f} %)",
      profile.wall.median_us, profile.wall.runs,
      profile.threads == 0
          ? ""
          : fmt::format(", {} thread{}", profile.threads, profile.threads == 1 ? "" : "s"),
      profile.wall.p95_us, profile.nodes.size(), profile.nodes_us, percent(profile.nodes_us),
      profile.outside_us, wall - told, percent(wall - told));
  if (profile.source != "quantlens") return wrapped(text, 0);
  text += fmt::format("; {:.3f} us for its timer is taken off each node", profile.event_us);
  return wrapped(text, 0);
}

std::string speed_text(const ProfilePair& pair, const std::string& verdict) {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kIndent = 3;
  constexpr std::size_t kNames = 3;
  std::string text = wrapped(printable(verdict), 0);
  std::size_t number = 0;
  for (const SpeedFinding& finding : pair.findings) {
    if (++number > kShown) {
      text += fmt::format("{} more findings in profile.json\n", pair.findings.size() - kShown);
      break;
    }
    std::vector<std::string> names(
        finding.ops.begin(),
        finding.ops.begin() + static_cast<std::ptrdiff_t>(std::min(kNames, finding.ops.size())));
    std::string ops = list(names);
    if (finding.ops.size() > kNames)
      ops += fmt::format(" and {} more", finding.ops.size() - kNames);
    text += fmt::format("{}. ", number);
    text += wrapped(fmt::format("{}, {:.3f} ms: {}: {}", finding.rule, finding.milliseconds,
                                printable(ops), printable(finding.because)),
                    kIndent);
    if (!finding.remedy.empty() && finding.ops.size() <= kNames) {
      text += "   " + wrapped(fmt::format("recipe: {}", printable(finding.remedy)), kIndent);
    } else if (!finding.remedy.empty()) {
      text += "   recipe: these ops in float; profile.json has it whole\n";
    }
  }
  return text;
}

}  // namespace quantlens
