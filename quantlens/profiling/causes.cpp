// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/causes.h"

#include <algorithm>
#include <unordered_set>

#include "quantlens/graph/order.h"

namespace quantlens {
namespace {

using Numbers = std::vector<std::size_t>;

class Search {
 public:
  Search(const Graph& run, const std::vector<Attributed>& attributed)
      : run_(run), index_(run), attributed_(attributed) {}

  Numbers of(std::size_t i) const {
    if (attributed_[i].role == NodeRole::op) return {i};
    if (attributed_[i].role == NodeRole::dequantize) {
      const Numbers makers = ops_before(i);
      return makers.empty() ? ops_after(i) : makers;
    }
    const Numbers readers = ops_after(i);
    return readers.empty() ? ops_before(i) : readers;
  }

 private:
  /// Conversions, and ops that only move what they get.
  bool passes(std::size_t i) const {
    return attributed_[i].role != NodeRole::op || moves_elements(run_.nodes[i].kind);
  }

  Numbers ops_after(std::size_t from) const {
    return walk(from, [&](std::size_t i, Numbers& next) {
      for (const std::string& output : run_.nodes[i].outputs) {
        for (const Use& use : index_.uses(output)) next.push_back(use.node);
      }
    });
  }

  Numbers ops_before(std::size_t from) const {
    return walk(from, [&](std::size_t i, Numbers& next) {
      if (run_.nodes[i].inputs.empty()) return;
      const auto producer = index_.producer(run_.nodes[i].inputs[0]);
      if (producer) next.push_back(*producer);
    });
  }

  /// The first ops on each way that do more than pass on; else the last that moves elements.
  template <class F>
  Numbers walk(std::size_t from, F&& add_next) const {
    Numbers found;
    Numbers moves;
    Numbers open;
    add_next(from, open);
    std::unordered_set<std::size_t> seen;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (!seen.insert(i).second) continue;
      if (!passes(i)) {
        found.push_back(i);
        continue;
      }
      if (attributed_[i].role == NodeRole::op) moves.push_back(i);
      add_next(i, open);
    }
    std::ranges::sort(found);
    if (found.empty() && !moves.empty()) found = {moves.front()};
    return found;
  }

  const Graph& run_;
  GraphIndex index_;
  const std::vector<Attributed>& attributed_;
};

}  // namespace

std::vector<Numbers> causes(const Graph& run, const std::vector<Attributed>& attributed) {
  const Search search(run, attributed);
  std::vector<Numbers> result(run.nodes.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = search.of(i);
  return result;
}

}  // namespace quantlens
