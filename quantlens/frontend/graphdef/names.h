// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "quantlens/frontend/graphdef/edit.h"

namespace quantlens::graphdef {

/// Names of nodes that are still free in a graph.
class FreeNames {
 public:
  explicit FreeNames(const GraphFile& file);
  /// `wanted` as a node may be called, or where that is taken `wanted_1`, `wanted_2`, …; taken from
  /// now on.
  std::string take(std::string wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace quantlens::graphdef
