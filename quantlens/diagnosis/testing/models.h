// Copies of models in which nothing has the name or the place that it had: for this folder's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/constants.h"

namespace quantlens {

/// A model under other names, and the old names of its tensors.
struct Renamed {
  Model model;
  std::map<std::string, std::string> old_names;
};

inline Renamed renamed(const Model& model, unsigned seed) {
  Renamed result{.model = model, .old_names = {}};
  Graph& graph = result.model.graph;
  result.model.metadata.clear();
  std::mt19937 random(seed);
  std::set<std::string> tensors;
  for (const ValueInfo& input : graph.inputs) tensors.insert(input.name);
  for (const auto& [name, weight] : graph.weights) tensors.insert(name);
  for (const Node& node : graph.nodes) tensors.insert(node.outputs.begin(), node.outputs.end());
  std::vector<std::string> order(tensors.begin(), tensors.end());
  std::shuffle(order.begin(), order.end(), random);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < order.size(); ++i) {
    names[order[i]] = "v" + std::to_string(i);
    result.old_names["v" + std::to_string(i)] = order[i];
  }
  const auto rename = [&](std::string& name) {
    if (names.contains(name)) name = names.at(name);
  };
  for (ValueInfo& input : graph.inputs) rename(input.name);
  for (ValueInfo& output : graph.outputs) rename(output.name);
  WeightMap weights;
  for (auto& [name, weight] : graph.weights) weights[names.at(name)] = weight;
  graph.weights = std::move(weights);
  graph.values.clear();
  std::set<std::string> ready;
  for (const ValueInfo& input : graph.inputs) ready.insert(input.name);
  for (const auto& [name, weight] : graph.weights) ready.insert(name);
  std::vector<Node> waiting = std::move(graph.nodes);
  graph.nodes.clear();
  for (Node& node : waiting) {
    std::ranges::for_each(node.inputs, rename);
    std::ranges::for_each(node.outputs, rename);
    node.name = "n" + std::to_string(random());
  }
  while (!waiting.empty()) {  // in another order in which each node comes after what it reads
    std::shuffle(waiting.begin(), waiting.end(), random);
    std::vector<Node> later;
    for (Node& node : waiting) {
      const bool able = std::ranges::all_of(
          node.inputs, [&](const auto& name) { return name.empty() || ready.contains(name); });
      if (!able) {
        later.push_back(std::move(node));
        continue;
      }
      ready.insert(node.outputs.begin(), node.outputs.end());
      graph.nodes.push_back(std::move(node));
    }
    if (later.size() == waiting.size()) break;  // reads what nothing makes
    waiting = std::move(later);
  }
  return result;
}

/// Repeatable numbers around 0.
inline std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> values;
  std::vector<float> out(count);
  for (float& value : out) value = values(random);
  return out;
}

inline std::vector<float> scaled(std::vector<float> values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

namespace held {

/// What the views of OwnModels are of.
struct Models {
  Model before, after;
  Pairing pairing;
};
struct Indexes {
  Indexed of_before, of_after;
};

}  // namespace held

/// Two models of one's own and a pairing, with all that is looked up in them.
class OwnModels : private held::Models, private held::Indexes, public PairedModels {
 public:
  OwnModels(Model reference_model, Model quantized_model, Pairing with = {})
      : held::Models{std::move(reference_model), std::move(quantized_model), std::move(with)},
        held::Indexes{indexed(before), indexed(after)},
        PairedModels(of_before, of_after, held::Models::pairing) {}
  OwnModels(const OwnModels&) = delete;
  OwnModels& operator=(const OwnModels&) = delete;
};

}  // namespace quantlens
