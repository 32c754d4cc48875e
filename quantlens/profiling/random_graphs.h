// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "quantlens/profiling/testing/profiled.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Graphs of a dozen nodes with all the oddities that a file may have.
class RandomGraphs {
 public:
  explicit RandomGraphs(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }

  Graph file() {
    Graph graph = graph_of({}, {});
    if (below(8) != 0) graph.inputs = graph_of({"x", "u"}, {}).inputs;
    values_ = {"x", "u", "w", ""};
    const std::size_t count = below(13);
    for (std::size_t i = 0; i < count; ++i) graph.nodes.push_back(node());
    for (std::size_t i = 0; i < 2; ++i) graph.outputs.push_back({.name = pick(values_)});
    return graph;
  }

  /// What a runtime could make of it: nodes left out, others put in, names changed.
  Graph run_of(const Graph& file) {
    Graph graph = file;
    graph.nodes.clear();
    values_ = {"x", "u", "w", ""};
    for (Node made : file.nodes) {
      if (below(4) == 0) continue;
      if (below(4) == 0) graph.nodes.push_back(node());
      if (below(5) == 0 && !made.inputs.empty()) made.inputs[0] = pick(values_);
      if (below(5) == 0 && !made.outputs.empty()) made.outputs[0] = fresh();
      if (below(5) == 0) made.name += below(2) == 0 ? "_nchwc" : "1";
      if (below(8) == 0) made.kind = Kind::qconv;
      values_.insert(values_.end(), made.outputs.begin(), made.outputs.end());
      graph.nodes.push_back(made);
    }
    return graph;
  }

  std::vector<double> times(const Graph& graph) {
    std::vector<double> us;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      us.push_back(below(4) == 0 ? 0 : static_cast<double>(below(100000)) / 97);
    }
    return us;
  }

  Pairing pairing(const Graph& reference, const Graph& quantized) {
    Pairing pairing;
    for (std::size_t i = below(6); i > 0; --i) {
      pairing.pairs.push_back({.reference = value_of(reference), .quantized = value_of(quantized)});
    }
    return pairing;
  }

 private:
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  std::string fresh() { return "v" + std::to_string(next_++); }

  std::string value_of(const Graph& graph) {
    return graph.nodes.empty() ? "x" : op_id(graph.nodes[below(graph.nodes.size())]);
  }

  Node node() {
    constexpr Kind kKinds[] = {Kind::conv,     Kind::relu,      Kind::quantize, Kind::dequantize,
                               Kind::quantize, Kind::transpose, Kind::reshape,  Kind::cast,
                               Kind::qconv,    Kind::other,     Kind::add,      Kind::dequantize};
    const std::vector<std::string> names = {"", "n", "n_1", "n_11", "n_1_2", "same", "v1", "v2"};
    Node made = node_of(kKinds[below(std::size(kKinds))], {}, fresh());
    if (below(12) == 0) made = control_flow(pick(values_), made.outputs[0]);
    for (std::size_t i = below(4); i > 0; --i) made.inputs.push_back(pick(values_));
    if (below(6) == 0) made.roles = roles::Reorder{.into_blocks = below(2) == 0};
    if (below(2) == 0) made.name = pick(names);
    if (below(8) == 0) made.outputs.insert(made.outputs.begin(), "");
    if (below(8) == 0) made.outputs.push_back(fresh());
    if (below(16) == 0) made.outputs.clear();
    values_.insert(values_.end(), made.outputs.begin(), made.outputs.end());
    return made;
  }

  std::mt19937 random_;
  std::vector<std::string> values_;
  std::size_t next_ = 0;
};

}  // namespace quantlens
