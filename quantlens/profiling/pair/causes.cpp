// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/causes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "quantlens/graph/order.h"

namespace quantlens {
namespace {

using Numbers = std::vector<std::size_t>;

/// Ops found on a walk, and on the way there those that only move elements.
struct Found {
  Numbers ops;
  Numbers moves;
  /// Else the nearest of the moves.
  Numbers ops_or_move() const { return ops.empty() && !moves.empty() ? Numbers{moves[0]} : ops; }
};

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
    if (attributed_[i].role == NodeRole::quantize) {
      Numbers integer = readers_of_codes(i);
      if (!integer.empty()) return integer;
    }
    const Numbers readers = ops_after(i);
    return readers.empty() ? ops_before(i) : readers;
  }

 private:
  /// Conversions, and ops that only move what they get.
  bool passes(std::size_t i) const {
    return attributed_[i].role != NodeRole::op || moves_elements(run_.nodes[i].kind);
  }

  /// Ops that do more than move codes; none past a dequantizer.
  Numbers readers_of_codes(std::size_t from) const {
    return walk(from,
                [&](std::size_t i, Numbers& next) {
                  for (const std::string& output : run_.nodes[i].outputs) {
                    for (const Use& use : index_.uses(output)) {
                      if (attributed_[use.node].role != NodeRole::dequantize)
                        next.push_back(use.node);
                    }
                  }
                })
        .ops;
  }

  Numbers ops_after(std::size_t from) const {
    return walk(from,
                [&](std::size_t i, Numbers& next) {
                  for (const std::string& output : run_.nodes[i].outputs) {
                    for (const Use& use : index_.uses(output)) next.push_back(use.node);
                  }
                })
        .ops_or_move();
  }

  Numbers ops_before(std::size_t from) const {
    return walk(from,
                [&](std::size_t i, Numbers& next) {
                  if (run_.nodes[i].inputs.empty()) return;
                  const auto producer = index_.producer(run_.nodes[i].inputs[0]);
                  if (producer) next.push_back(*producer);
                })
        .ops_or_move();
  }

  /// The first ops on each way that do more than pass on, and those passed that move elements.
  template <class F>
  Found walk(std::size_t from, F&& add_next) const {
    auto [found, moves] = Found();
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
    return {std::move(found), std::move(moves)};
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
