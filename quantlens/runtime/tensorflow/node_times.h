// What TensorFlow's notes of a run (a RunMetadata) say of its nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::tensorflow {

/// The graph that was run, of notes that have it, in the order in which nodes ran first. `where`:
/// for messages. Throws Errc::failed where the notes are not sound or have no graph.
Graph graph_that_ran(std::string_view notes, const std::string& where);

/// When a call of the library was made.
struct CallTime {
  std::uint64_t begin_ns = 0;  ///< of the system's clock, which notes have, too
  std::uint64_t ns = 0;        ///< that it took, by the steady clock
};

/// Times of a graph's nodes, by their names.
class NodeTimes {
 public:
  NodeTimes(const Graph& graph, std::string where);

  /// What the notes of one run say; valid until the next one is read. A node's time is that which
  /// the executor has for it: with the making of its inputs and the handing on of its results, for
  /// each time that it ran. `whole` is the call without what noting takes: from its begin to the
  /// first node, and the time of all nodes but constants, which an unnoted run hands out without
  /// running them. Figures that cannot be are cut to what can: no node takes longer than the call.
  /// Throws Errc::failed where the notes are not sound.
  RunTime read(std::string_view notes, const CallTime& call);

  /// Of the results of nodes, and of the graph's inputs, in that run. Throws likewise.
  ValueTypes types(std::string_view notes) const;

 private:
  std::string where_;
  std::map<std::string, std::size_t, std::less<>> slots_;  // by name
  std::set<std::string, std::less<>> constants_;
  std::vector<std::uint64_t> nodes_;
};

}  // namespace quantlens::tensorflow
