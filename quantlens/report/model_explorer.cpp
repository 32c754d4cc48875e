// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/model_explorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

using boost::json::array;
using boost::json::object;

constexpr const char* kBad = "#d93025";
constexpr const char* kPoor = "#f29900";
constexpr const char* kFair = "#fdd663";
constexpr const char* kGood = "#81c995";

/// A node and what was found of it.
struct NodeAndFigures {
  std::string id;
  const NodeFigures* figures;
};

/// Low is bad; above the last bound Model Explorer leaves a node white, so that lies out of reach.
array decibel_thresholds() {
  constexpr double kMost = 1e9;
  return {object{{"value", 10}, {"bgColor", kBad}}, object{{"value", 20}, {"bgColor", kPoor}},
          object{{"value", 30}, {"bgColor", kFair}}, object{{"value", kMost}, {"bgColor", kGood}}};
}

/// High is bad.
array white_to_red() {
  return {object{{"stop", 0}, {"bgColor", "#ffffff"}}, object{{"stop", 1}, {"bgColor", kBad}}};
}

using Figure = std::optional<double> NodeFigures::*;

struct NumberFile {
  const char* name;
  const char* title;
  Figure figure;
  bool low_is_bad;
};
constexpr NumberFile kNumberFiles[] = {
    {"sqnr_db.json", "SQNR [dB]", &NodeFigures::sqnr_db, true},
    {"local_sqnr_db.json", "Local SQNR [dB]", &NodeFigures::local_sqnr_db, true},
    {"output_share.json", "Share of the outputs' error", &NodeFigures::output_share, false},
    {"mse.json", "MSE", &NodeFigures::mse, false},
    {"time_us.json", "Time [us]", &NodeFigures::microseconds, false}};

void add_file(std::vector<NodeDataFile>& files, const char* file, object head, object results) {
  if (results.empty()) return;
  head["results"] = std::move(results);
  files.push_back({file, json::dump(head)});
}

object numbers(const std::vector<NodeAndFigures>& nodes, Figure figure) {
  object results;
  for (const NodeAndFigures& node : nodes) {
    const std::optional<double>& value = node.figures->*figure;
    if (value && std::isfinite(*value)) results[node.id] = object{{"value", *value}};
  }
  return results;
}

object precisions(const std::vector<NodeAndFigures>& nodes) {
  object results;
  for (const NodeAndFigures& node : nodes) {
    const std::string& precision = node.figures->precision;
    if (precision.empty()) continue;
    results[node.id] =
        object{{"value", precision}, {"bgColor", precision == "fp32" ? kFair : kGood}};
  }
  return results;
}

object findings(const std::vector<NodeAndFigures>& nodes) {
  object results;
  for (const NodeAndFigures& node : nodes) {
    const std::vector<NodeFinding>& told = node.figures->findings;
    if (told.empty()) continue;
    const Severity gravest = std::ranges::min(told, {}, &NodeFinding::severity).severity;
    const char* colour = gravest == Severity::problem   ? kBad
                         : gravest == Severity::warning ? kPoor
                                                        : kFair;
    results[node.id] = object{{"value", findings_of_node(*node.figures)}, {"bgColor", colour}};
  }
  return results;
}

}  // namespace

std::vector<std::string> model_explorer_ids(const GraphOutline& graph) {
  std::unordered_map<std::string, std::set<std::string>> used;  // by scope
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<std::string> ids;
  for (const OpOutline& op : graph.ops) {
    const bool is_unnamed = !op.outputs.empty() && op.name == op.type + ":" + op.outputs.front();
    const std::string wanted = is_unnamed || op.name.empty() ? "node" : op.name;
    std::string id = wanted;
    while (!used[op.scope].insert(id).second) id = fmt::format("{}_{}", wanted, ++counts[wanted]);
    ids.push_back(std::move(id));
  }
  return ids;
}

std::vector<NodeDataFile> model_explorer_files(const GraphOutline& graph,
                                               const std::vector<NodeFigures>& figures) {
  const std::vector<std::string> ids = model_explorer_ids(graph);
  const ValueMakers makers(graph);
  std::vector<NodeAndFigures> nodes;
  for (const NodeFigures& one : figures)
    if (const auto maker = makers.find("", one.output))
      nodes.push_back({valid_utf8(ids[maker->op]), &one});
  std::vector<NodeDataFile> files;
  for (const NumberFile& file : kNumberFiles) {
    object head{{"name", file.title}};
    if (file.low_is_bad)
      head["thresholds"] = decibel_thresholds();
    else
      head["gradient"] = white_to_red();
    add_file(files, file.name, std::move(head), numbers(nodes, file.figure));
  }
  add_file(files, "precision.json", {{"name", "Precision"}}, precisions(nodes));
  add_file(files, "findings.json", {{"name", "Findings"}}, findings(nodes));
  return files;
}

}  // namespace quantlens
