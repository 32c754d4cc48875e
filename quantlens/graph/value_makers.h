// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "quantlens/graph/outline.h"

namespace quantlens {

/// Which op of a network makes a value, as the ops of a body see it: what their own body makes goes
/// before what is around it. Views the outline, which must outlive it.
class ValueMakers {
 public:
  struct Maker {
    std::size_t op = 0;      ///< number in GraphOutline::ops
    std::size_t output = 0;  ///< of its outputs
  };

  /// Of several ops that make a value of one name in one body, the first counts.
  explicit ValueMakers(const GraphOutline& graph);

  /// `scope`: as OpOutline has it; empty: the outermost graph. Nothing for what no op makes, as
  /// inputs and weights.
  std::optional<Maker> find(std::string_view scope, std::string_view value) const;
  /// Null for what no op makes.
  const OpOutline* op(std::string_view scope, std::string_view value) const;

 private:
  const GraphOutline& graph_;
  std::unordered_map<std::string, Maker> makers_;        // by scope and value
  std::unordered_map<std::string, std::string> scopes_;  // of an op, by its id
};

}  // namespace quantlens
