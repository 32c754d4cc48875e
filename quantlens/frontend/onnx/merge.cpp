// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/write.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kFirstFreeWeights = 4;  // IR version from which weights need not be inputs

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::unsupported, "the two models cannot be one: " + sentence);
}

std::string shown(const ValueInfo& input) {
  std::string shape = "?";
  if (input.shape) {
    shape = "[";
    for (const Dim& dim : *input.shape) {
      if (shape.size() > 1) shape += ",";
      shape += dim.extent ? fmt::to_string(*dim.extent) : dim.symbol.empty() ? "?" : dim.symbol;
    }
    shape += "]";
  }
  return fmt::format("'{}' ({} {})", printable(input.name),
                     input.dtype ? name(*input.dtype) : "any type", printable(shape));
}

bool agree(const ValueInfo& a, const ValueInfo& b) {
  if (a.dtype && b.dtype && a.dtype != b.dtype) return false;
  if (!a.shape || !b.shape) return true;
  return std::ranges::equal(*a.shape, *b.shape, [](const Dim& x, const Dim& y) {
    return !x.extent || !y.extent || x.extent == y.extent;
  });
}

/// What the names of the second model become.
Renaming renaming(const Graph& first, const Graph& second, const std::string& prefix) {
  if (first.inputs.size() != second.inputs.size()) {
    refuse(fmt::format("they have {} and {} inputs", first.inputs.size(), second.inputs.size()));
  }
  Renaming names{prefix, {}, {}, true};
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const ValueInfo& a = first.inputs[i];
    const ValueInfo& b = second.inputs[i];
    if (!agree(a, b)) refuse(fmt::format("input {} is not input {}", shown(a), shown(b)));
    names.values.emplace(b.name, a.name);
    if (!a.shape || !b.shape) continue;
    for (std::size_t d = 0; d < b.shape->size(); ++d) {
      const std::string& symbol = (*a.shape)[d].symbol;
      if (!symbol.empty()) names.dims.emplace((*b.shape)[d].symbol, symbol);
    }
  }
  return names;
}

bool uses_domain(const Graph& graph, const std::string& domain) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.domain == domain || std::ranges::any_of(node.subgraphs, [&](const auto& body) {
             return uses_domain(*body.second, domain);
           });
  });
}

/// Whether the version of a domain matters to a model. Its functions may use any.
bool needs_domain(const Model& model, const ModelParts& parts, const std::string& domain) {
  return !parts.functions.empty() || uses_domain(model.graph, domain);
}

using Opsets = std::map<std::string, std::int64_t>;

Opsets opsets_of(const Model& model, const Edit& edit) {
  Opsets opsets = model.opsets;
  for (const auto& [domain, version] : edit.opsets) {
    std::int64_t& now = opsets[domain];
    now = std::max(now, version);
  }
  return opsets;
}

/// One of the two models, with what is needed of it.
struct Half {
  const Model& model;
  const Edit& edit;
  ModelParts parts;
  Rewriter rewriter;
  Opsets opsets = opsets_of(model, edit);
};

Opsets merged_opsets(const Half& first, const Half& second) {
  Opsets opsets = first.opsets;
  for (const auto& [domain, version] : second.opsets) {
    const auto [at, added] = opsets.emplace(domain, version);
    if (added || at->second == version || !needs_domain(second.model, second.parts, domain)) {
      continue;
    }
    if (needs_domain(first.model, first.parts, domain)) {
      refuse(fmt::format("they use versions {} and {} of operator set '{}'", at->second, version,
                         domain.empty() ? "ai.onnx" : printable(domain)));
    }
    at->second = version;
  }
  return opsets;
}

/// The functions of the second that the first has not.
std::vector<std::string_view> functions_added(const Half& first, const Half& second) {
  std::vector<std::string_view> added;
  for (const std::string_view function : second.parts.functions) {
    const FunctionId id = read_function_id(function);
    const auto same = std::ranges::find_if(first.parts.functions, [&](std::string_view other) {
      const FunctionId its = read_function_id(other);
      return its.domain == id.domain && its.name == id.name && its.overload == id.overload;
    });
    if (same == first.parts.functions.end()) {
      added.push_back(function);
    } else if (*same != function) {
      refuse(fmt::format("they define the function '{}' differently", printable(id.name)));
    }
  }
  return added;
}

/// Collects the fields of both graphs: nodes one by one, then everything else.
class GraphMerge {
 public:
  explicit GraphMerge(const WriteOptions& options) : options_(options) {}

  void add(const Half& half, bool is_first) {
    Additions additions;
    const Graph& graph = half.model.graph;
    if (half.parts.ir_version < kFirstFreeWeights) {  // there they are constants, not inputs
      for (const auto& [name, weight] : graph.weights) additions.dropped_inputs.insert(name);
      additions.dropped_inputs.insert(graph.opaque_weights.begin(), graph.opaque_weights.end());
    }
    if (!is_first) {
      for (const ValueInfo& input : graph.inputs) additions.dropped_inputs.insert(input.name);
    }
    write_graph({half.model, half.edit, options_, additions, half.rewriter},
                [&](std::uint32_t number, Pieces field) {
                  if (number == GraphProto::node) {
                    nodes_.push_back(std::move(field));
                  } else if (is_first || is_list(number)) {
                    rest_.append(std::move(field));
                  }
                });
    add_names(half, is_first);
  }

  Pieces merged() {
    Pieces out;
    for (const std::size_t node : order()) out.append(std::move(nodes_[node]));
    out.append(std::move(rest_));
    return out;
  }

 private:
  static bool is_list(std::uint32_t number) {
    return number == GraphProto::initializer || number == GraphProto::sparse_initializer ||
           number == GraphProto::input || number == GraphProto::output ||
           number == GraphProto::value_info;
  }

  void add_names(const Half& half, bool is_first) {
    const Renaming& names = half.rewriter.names();
    std::vector<Node> nodes = edited_nodes(half.model.graph, half.edit, names);
    std::ranges::move(nodes, std::back_inserter(names_.nodes));
    if (is_first) {  // those of the second are the same
      for (const ValueInfo& input : half.model.graph.inputs) give(names.value(input.name));
    }
    for (const auto& [name, weight] : half.model.graph.weights) {
      if (!half.edit.removed_weights.contains(name)) give(names.value(name));
    }
    for (const std::string& name : half.model.graph.opaque_weights) give(names.value(name));
    for (const auto& [name, weight] : half.edit.weights) give(names.edited(name));
  }

  /// To the nodes of both a weight is one more input.
  void give(std::string name) {
    names_.inputs.push_back({.name = std::move(name), .dtype = {}, .shape = {}});
  }

  std::vector<std::size_t> order() const {
    std::unordered_set<std::string_view> made;
    made.reserve(names_.inputs.size() + names_.nodes.size());
    const auto make = [&](const std::string& name) {
      if (made.insert(name).second) return;
      refuse(fmt::format("both have a value '{}'", printable(name)));
    };
    for (const ValueInfo& given : names_.inputs) make(given.name);
    for (const Node& node : names_.nodes) {
      for (const std::string& name : node.outputs) {
        if (!name.empty()) make(name);
      }
    }
    try {
      return topological_order(names_);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  const WriteOptions& options_;
  std::vector<Pieces> nodes_;
  Pieces rest_;
  Graph names_;  ///< the same nodes, names only
};

}  // namespace

// NOLINTNEXTLINE(readability-function-size): two models, each with its edit, are four parameters
std::string merge(const Model& first, const Edit& edit_first, const Model& second,
                  const Edit& edit_second, const std::string& prefix, const WriteOptions& options) {
  Source source_a = source_of(first);
  Source source_b = source_of(second);
  const Half a{first, edit_first, split_model(first.file.text()),
               Rewriter({{}, {}, {}, true}, embed(source_a))};
  const Half b{second, edit_second, split_model(second.file.text()),
               Rewriter(renaming(first.graph, second.graph, prefix), embed(source_b))};
  const Opsets opsets = merged_opsets(a, b);
  const std::vector<std::string_view> functions = functions_added(a, b);
  GraphMerge graph(options);
  graph.add(a, true);
  graph.add(b, false);

  Pieces out;
  out.varint_field(ModelProto::ir_version,
                   static_cast<std::uint64_t>(
                       std::max({a.parts.ir_version, b.parts.ir_version, kFirstFreeWeights})));
  Fields fields(first.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(ModelProto::graph)) {
      out.field(ModelProto::graph, graph.merged());
    } else if (field.key != varint_key(ModelProto::ir_version) &&
               field.key != bytes_key(ModelProto::opset_import)) {
      out.view(field.whole);
    }
  }
  for (const auto& [domain, version] : opsets) {
    out.field(ModelProto::opset_import, encode_opset({domain, version}));
  }
  for (const std::string_view function : functions) {
    out.field(ModelProto::functions, function);
  }
  return out.str();
}

}  // namespace quantlens::onnx
