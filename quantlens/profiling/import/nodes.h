// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/profiling/import/durations.h"
#include "quantlens/record/profile.h"

namespace quantlens::imports {

/// What tells of a node in an event; texts as they stand in the file.
struct NodeKey {
  std::string_view name;
  std::string_view type;
  std::string_view index;  ///< where two nodes may have one name; else empty
};

/// What was added up of a node's executions of one kind.
struct Times {
  double cpu_us = 0;
  double accelerator_us = 0;
  Durations whole;  ///< of each execution
};

/// A node and its times in a few kinds that the importer keeps apart until it has seen all.
struct ImportedNode {
  static constexpr std::size_t kKinds = 4;
  NodeTime row;  ///< what it is; its times are filled at last
  double first_us = std::numeric_limits<double>::infinity();
  std::array<Times, kKinds> times;
};

/// One execution.
struct Spent {
  double cpu_us = 0;
  double accelerator_us = 0;
  double start_us = 0;
};

/// The nodes of a profile, found by their keys.
class Nodes {
 public:
  static constexpr std::size_t kMost = 65536;
  static constexpr std::size_t kMostTypes = 1024;
  static constexpr std::size_t kMostText = 4096;  ///< of a name; what is longer is cut

  /// Where this node is; a new one has only name and type. Past `kMost` or without budget it is the
  /// one row of all others of its type.
  std::size_t find(const NodeKey& key, bool& is_new);
  ImportedNode& operator[](std::size_t i) { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  /// Says what a new node is, as far as the budget allows.
  void describe(std::size_t node, std::string_view provider, std::vector<std::string> inputs,
                std::vector<std::string> outputs);
  void add(std::size_t node, std::size_t kind, const Spent& spent);
  Budget& budget() { return budget_; }
  std::uint64_t gathered() const { return gathered_; }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::size_t gather(const NodeKey& key, bool& is_new);
  std::size_t insert(std::string_view name, std::string_view type);

  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
  std::deque<ImportedNode> nodes_;  ///< never moved, so that growing costs nothing twice
  std::string key_;
  Budget budget_;
  std::size_t rest_ = 0;        ///< rows of all others of a type
  std::uint64_t gathered_ = 0;  ///< executions in them
};

/// Which kinds of times count, and how many runs of the model they are of.
struct Counted {
  std::vector<std::size_t> kinds;          ///< of executions
  std::optional<std::size_t> beside = {};  ///< what a device took for these, seen by itself
  std::uint64_t runs = 0;  ///< 0: not known, then the median number of a node's executions
  double span_us = 0;      ///< of all there is: the wall time, if that is one run
};

/// Adds the rows, their sums and shares to a profile whose wall time is known or empty. Tells of
/// rows that stand for many nodes.
void fill(Profile& profile, Nodes& nodes, const Counted& counted, Progress& progress);

}  // namespace quantlens::imports
