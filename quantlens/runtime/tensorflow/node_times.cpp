// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/node_times.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <protozero/exception.hpp>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/step_stats.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::tensorflow {
namespace {

using graphdef::NodeStats;

[[noreturn]] void fail(const std::string& where, std::string_view problem) {
  throw Error(Errc::failed, fmt::format("{}: what TensorFlow tells of a run is not sound: {}; try "
                                        "another version of it (docs/tensorflow.md)",
                                        where, problem));
}

/// Calls `read` with the notes; its bytes are not trusted.
template <class Read>
void with_notes(std::string_view bytes, const std::string& where, const Read& read) {
  try {
    read(graphdef::read_run_metadata(bytes));
  } catch (const protozero::exception& error) {
    fail(where, error.what());
  }
}

std::string_view name_of(std::string_view node) {
  graphdef::Fields fields(node);
  for (graphdef::Field field; fields.next(field);) {
    if (field.key == graphdef::bytes_key(graphdef::NodeDef::name)) return field.payload;
  }
  return {};
}

/// When each node began for the first time, by its name.
std::unordered_map<std::string_view, std::int64_t> first_starts(const graphdef::RunNotes& notes) {
  std::unordered_map<std::string_view, std::int64_t> starts;
  for (const std::string_view message : notes.nodes) {
    const NodeStats stats = graphdef::read_node_stats(message);
    const auto [at, is_new] = starts.emplace(stats.name, stats.start_ns);
    if (!is_new) at->second = std::min(at->second, stats.start_ns);
  }
  return starts;
}

/// The graphs of all devices as one: what did not run last.
std::string in_order_of_running(const graphdef::RunNotes& notes) {
  const auto starts = first_starts(notes);
  std::vector<std::pair<std::int64_t, std::string_view>> nodes;
  std::string bytes;
  for (const std::string_view graph : notes.graphs) {
    graphdef::Fields fields(graph);
    for (graphdef::Field field; fields.next(field);) {
      if (field.key == graphdef::bytes_key(graphdef::GraphDef::node)) {
        const auto start = starts.find(name_of(field.payload));
        const bool ran = start != starts.end();
        nodes.emplace_back(ran ? start->second : std::numeric_limits<std::int64_t>::max(),
                           field.whole);
      } else if (graph.data() == notes.graphs.front().data()) {
        bytes.append(field.whole);  // functions and versions, which are those of each
      }
    }
  }
  std::ranges::stable_sort(nodes, {}, &std::pair<std::int64_t, std::string_view>::first);
  for (const auto& [start, node] : nodes) bytes.append(node);
  return bytes;
}

/// As the frontend names results.
std::string value_of(std::string_view node, std::uint32_t slot) {
  return slot == 0 ? std::string(node) : fmt::format("{}:{}", node, slot);
}

}  // namespace

Graph graph_that_ran(std::string_view notes, const std::string& where) {
  std::string bytes;
  with_notes(notes, where, [&](const graphdef::RunNotes& told) {
    if (told.graphs.empty()) fail(where, "it has no graph");
    bytes = in_order_of_running(told);
  });
  try {
    return graphdef::read("the graph that it runs", MappedFile::from_bytes(std::move(bytes))).graph;
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

NodeTimes::NodeTimes(const Graph& graph, std::string where)
    : where_(std::move(where)), nodes_(graph.nodes.size()) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) slots_.emplace(graph.nodes[i].name, i);
  for (const auto& [name, tensor] : graph.weights) constants_.insert(name);
  constants_.insert(graph.opaque_weights.begin(), graph.opaque_weights.end());
}

RunTime NodeTimes::read(std::string_view notes, const CallTime& call) {
  std::ranges::fill(nodes_, 0);
  std::uint64_t sum = 0;
  std::uint64_t first = call.ns;  // since the call
  with_notes(notes, where_, [&](const graphdef::RunNotes& told) {
    for (const std::string_view message : told.nodes) {
      const NodeStats stats = graphdef::read_node_stats(message);
      const auto start = static_cast<std::uint64_t>(std::max<std::int64_t>(stats.start_ns, 0));
      first = std::min(first, start - std::min(start, call.begin_ns));
      if (constants_.contains(stats.name)) continue;
      const auto took = static_cast<std::uint64_t>(std::max<std::int64_t>(stats.ns, 0));
      const std::uint64_t ns = std::min(took, call.ns - sum);
      sum += ns;
      const auto slot = slots_.find(stats.name);
      if (slot != slots_.end()) nodes_[slot->second] += ns;
    }
  });
  return {.whole = sum + std::min(first, call.ns - sum), .nodes = nodes_};
}

ValueTypes NodeTimes::types(std::string_view notes) const {
  ValueTypes types;
  with_notes(notes, where_, [&](const graphdef::RunNotes& told) {
    for (const std::string_view message : told.nodes) {
      const std::string_view name = graphdef::read_node_stats(message).name;
      if (constants_.contains(name)) continue;
      for (graphdef::NodeResult& result : graphdef::read_results(message)) {
        types.try_emplace(value_of(name, result.slot),
                          TensorType{result.dtype, std::move(result.shape)});
      }
    }
  });
  return types;
}

}  // namespace quantlens::tensorflow
