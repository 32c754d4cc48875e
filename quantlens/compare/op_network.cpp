// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/op_network.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

using From = NetworkLink::From;

constexpr int kMostWires = 64;  // Identity behind Identity; a circle of them ends here

bool is_extent(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "[N,3,224,224]" as "[*,3,224,224]": the batch may be anything.
std::string shape_label(std::string_view shape) {
  std::string label;
  std::size_t begin = shape.starts_with('[') ? 1 : 0;
  for (bool is_first = true; begin < shape.size(); is_first = false) {
    const std::size_t end = std::min(shape.find_first_of(",]", begin), shape.size());
    const std::string_view extent = shape.substr(begin, end - begin);
    label += is_first ? "*" : is_extent(extent) ? std::string(extent) : "?";
    label += ',';
    begin = end + 1;
  }
  return label;
}

bool has_free_order(Kind kind) {
  return kind == Kind::add || kind == Kind::mul || kind == Kind::max || kind == Kind::min;
}

/// Makes the network of a graph.
class NetworkMaker {
 public:
  explicit NetworkMaker(const GraphOutline& graph) : graph_(graph), makers_(graph) {
    network_.ops.resize(graph.ops.size());
    for (const auto* list : {&graph.values, &graph.outputs, &graph.inputs, &graph.weights})
      for (const ValueOutline& value : *list) values_.emplace(value.name, &value);
    for (const ValueOutline& weight : graph.weights) weights_.emplace(weight.name);
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      if (!weights_.contains(graph.inputs[i].name)) inputs_.emplace(graph.inputs[i].name, i);
    }
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
      const Kind kind = graph.ops[i].kind;
      network_.ops[i].is_wire = kind == Kind::constant || kind == Kind::identity;
    }
  }

  OpNetwork make() {
    for (std::size_t i = 0; i < graph_.ops.size(); ++i) wire(i);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const NetworkLink from = source("", graph_.outputs[i].name);
      if (from.from == From::op) network_.ops[from.number].model_outputs.push_back(i);
    }
    const std::vector<std::size_t> order = ordered();
    for (const std::size_t i : order) network_.ops[i].before = before(network_.ops[i]);
    for (auto i = order.rbegin(); i != order.rend(); ++i)
      network_.ops[*i].behind = behind(network_.ops[*i]);
    return std::move(network_);
  }

 private:
  std::uint64_t value_label(std::string_view what, const std::string& value, bool is_weight) const {
    const auto found = values_.find(value);
    std::string label(what);
    if (found != values_.end()) {
      const std::string& shape = found->second->shape;
      label += found->second->dtype + (is_weight ? shape : shape_label(shape));
    }
    return hash_of(label);
  }

  /// Who makes the value that is seen from a scope, through wires.
  NetworkLink source(std::string_view scope, const std::string& value) const {
    std::string_view in = scope;
    std::string_view name = value;
    for (int step = 0; step < kMostWires && !name.empty(); ++step) {
      const std::optional<ValueMakers::Maker> made = makers_.find(in, name);
      if (!made) return outside(std::string(name));
      const OpOutline& op = graph_.ops[made->op];
      if (op.kind == Kind::constant) {
        return {.from = From::constant,
                .number = 0,
                .place = 0,
                .label = value_label("constant ", std::string(name), true)};
      }
      if (op.kind != Kind::identity || op.inputs.empty())
        return {.from = From::op, .number = made->op, .place = made->output, .label = 0};
      in = op.scope;
      name = op.inputs.front();
    }
    return {};
  }

  NetworkLink outside(const std::string& name) const {
    if (const auto input = inputs_.find(name); input != inputs_.end()) {
      return {.from = From::input,
              .number = input->second,
              .place = 0,
              .label = mixed(value_label("input ", name, false), input->second)};
    }
    if (!weights_.contains(name)) return {};
    return {.from = From::constant,
            .number = 0,
            .place = 0,
            .label = value_label("constant ", name, true)};
  }

  void wire(std::size_t i) {
    const OpOutline& outline = graph_.ops[i];
    NetworkOp& op = network_.ops[i];
    op.free_order = has_free_order(outline.kind);
    op.weak = hash_of(outline.type);
    for (std::size_t place = 0; place < outline.inputs.size(); ++place) {
      const NetworkLink from = source(outline.scope, outline.inputs[place]);
      op.reads.push_back(from);
      if (from.from == From::constant)
        op.weak = op.free_order ? op.weak + from.label : mixed(op.weak, from.label + place);
      if (from.from == From::op && !op.is_wire) {
        network_.ops[from.number].readers.push_back({.from = From::op,
                                                     .number = i,
                                                     .place = op.free_order ? 0 : place,
                                                     .label = from.place});
      }
    }
    op.strong = mixed(op.weak, outline.inputs.size());
    for (const auto& [name, value] : outline.attributes)
      op.strong = mixed(mixed(op.strong, hash_of(name)), hash_of(value));
    for (const std::string& output : outline.outputs)
      op.strong = mixed(op.strong, value_label("makes ", output, false));
  }

  /// Those in or behind a circle are left out.
  std::vector<std::size_t> ordered() const {
    std::vector<std::size_t> open(network_.ops.size()), order;
    for (std::size_t i = 0; i < network_.ops.size(); ++i) {
      for (const NetworkLink& from : network_.ops[i].reads)
        open[i] += from.from == From::op && !network_.ops[i].is_wire ? 1 : 0;
      if (open[i] == 0) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const NetworkLink& reader : network_.ops[order[next]].readers)
        if (--open[reader.number] == 0) order.push_back(reader.number);
    }
    return order;
  }

  std::uint64_t before(const NetworkOp& op) const {
    std::vector<std::uint64_t> read;
    for (const NetworkLink& from : op.reads) {
      read.push_back(from.from == From::op ? mixed(network_.ops[from.number].before, from.place)
                                           : from.label);
    }
    return chained(op, std::move(read), op.free_order);
  }

  std::uint64_t behind(const NetworkOp& op) const {
    std::vector<std::uint64_t> read;
    for (const NetworkLink& reader : op.readers)
      read.push_back(mixed(mixed(network_.ops[reader.number].behind, reader.place), reader.label));
    for (const std::size_t output : op.model_outputs) read.push_back(mixed(1, output));
    return chained(op, std::move(read), true);
  }

  static std::uint64_t chained(const NetworkOp& op, std::vector<std::uint64_t> parts, bool sorted) {
    if (sorted) std::ranges::sort(parts);
    std::uint64_t hash = op.strong;
    for (const std::uint64_t part : parts) hash = mixed(hash, part);
    return std::max<std::uint64_t>(hash, 1);
  }

  const GraphOutline& graph_;
  ValueMakers makers_;
  OpNetwork network_;
  std::unordered_map<std::string, const ValueOutline*> values_;
  std::unordered_set<std::string> weights_;
  std::unordered_map<std::string, std::size_t> inputs_;
};

}  // namespace

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15U + b + 0x2545F4914F6CDD1DU;  // splitmix64's finish
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return mixed(hash, text.size());
}

OpNetwork op_network(const GraphOutline& graph) {
  return NetworkMaker(graph).make();
}

}  // namespace quantlens
