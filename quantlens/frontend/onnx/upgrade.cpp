// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/upgrade.h"

#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/upgrade_ops.h"
#include "quantlens/frontend/onnx/write.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kOldestOpset = 6;
constexpr std::int64_t kUpgradedOpset = 13;

/// Nodes whose name an earlier one has.
std::vector<std::size_t> find_namesakes(const Graph& graph) {
  std::vector<std::size_t> namesakes;
  std::unordered_set<std::string_view> taken;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string& name = graph.nodes[i].name;
    if (!name.empty() && !taken.insert(name).second) namesakes.push_back(i);
  }
  return namesakes;
}

class Upgrader {
 public:
  Upgrader(const Model& model, std::int64_t opset)
      : graph_(model.graph),
        opset_(opset),
        index_(model.graph),
        names_(model.graph),
        context_(index_, names_) {}

  /// Gives these nodes names of their own. Comes first.
  void rename(const std::vector<std::size_t>& nodes) {
    for (const std::size_t i : nodes) edit_.names[i] = names_.take(graph_.nodes[i].name);
  }

  /// The problem, or nothing.
  std::string convert() {
    const Edit before = edit_;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (std::string problem = rewrite(i); !problem.empty()) {
        edit_ = before;
        return problem;
      }
    }
    edit_.weights = std::move(context_.weights);
    edit_.opsets[""] = kUpgradedOpset;
    return {};
  }

  const Edit& edit() const { return edit_; }

 private:
  static std::string says(const Node& node, const std::string& problem) {
    return fmt::format("node '{}' ({}) {}", printable(op_name(node)), printable(node.type),
                       problem);
  }

  std::string rewrite(std::size_t number) {
    Node node = graph_.nodes[number];
    if (const auto name = edit_.names.find(number); name != edit_.names.end()) {
      node.name = name->second;
    }
    for (const auto& [key, body] : node.subgraphs) {
      if (std::string problem = body_problem(*body); !problem.empty()) return problem;
    }
    bool changed = false;
    for (const UpgradeRow& row : upgrade_rows()) {
      if (!applies(row, node)) continue;
      if (std::string problem = row.rewrite(context_, node); !problem.empty()) {
        return says(graph_.nodes[number], problem);
      }
      changed = true;
    }
    if (changed) replace(number, std::move(node));
    return {};
  }

  bool applies(const UpgradeRow& row, const Node& node) const {
    return node.domain.empty() && row.type == node.type && opset_ < row.since;
  }

  /// Bodies are copied as they are, so what is in them has to mean the same. They are nested as
  /// deep as their reader allows.
  std::string body_problem(const Graph& body) const {
    for (const Node& node : body.nodes) {
      for (const UpgradeRow& row : upgrade_rows()) {
        if (applies(row, node)) return says(node, "lies in the body of another");
      }
      for (const auto& [key, inner] : node.subgraphs) {
        if (std::string problem = body_problem(*inner); !problem.empty()) return problem;
      }
    }
    return {};
  }

  void replace(std::size_t number, Node node) {
    edit_.removed.insert(number);
    for (Node& each : std::exchange(context_.before, {})) {
      edit_.inserted.emplace(number, std::move(each));
    }
    edit_.inserted.emplace(number, std::move(node));
    for (Node& each : std::exchange(context_.after, {})) {
      edit_.inserted.emplace(number, std::move(each));
    }
  }

  const Graph& graph_;
  std::int64_t opset_;
  GraphIndex index_;
  FreeNames names_;
  UpgradeContext context_;
  Edit edit_;
};

}  // namespace

frontend::Upgraded upgrade(Model model) {
  const auto own = model.opsets.find("");
  const std::int64_t opset = own == model.opsets.end() ? kUpgradedOpset : own->second;
  const std::vector<std::size_t> namesakes = find_namesakes(model.graph);
  if (opset >= kUpgradedOpset && namesakes.empty()) return {.model = std::move(model), .notes = {}};
  const std::string path = printable(model.path.string());
  std::vector<std::string> notes;
  Upgrader upgrader(model, opset);
  upgrader.rename(namesakes);
  bool changed = !namesakes.empty();
  if (opset < kUpgradedOpset) {
    const std::string problem = opset < kOldestOpset
                                    ? fmt::format("it is older than {}", kOldestOpset)
                                    : upgrader.convert();
    changed = changed || problem.empty();
    notes.push_back(
        problem.empty()
            ? fmt::format("{}: converted from opset {} to {}, the first with a scale for each "
                          "channel",
                          path, opset, kUpgradedOpset)
            : fmt::format("{}: opset {} cannot be converted to {}: {}", path, opset, kUpgradedOpset,
                          problem));
  }
  if (!namesakes.empty()) {
    notes.push_back(
        fmt::format("{}: {} node(s) had the name of another, and have a number behind it now", path,
                    namesakes.size()));
  }
  if (!changed) return {.model = std::move(model), .notes = std::move(notes)};
  // external data stay where they are: the new file is read as if it lay in the old one's place
  std::string bytes = written(model, upgrader.edit(), {}, {}, {}).str();
  return {.model = read(model.path, MappedFile::from_bytes(std::move(bytes))),
          .notes = std::move(notes)};
}

}  // namespace quantlens::onnx
