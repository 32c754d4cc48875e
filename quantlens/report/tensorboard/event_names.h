// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "quantlens/graph/outline.h"
#include "quantlens/record/op_ref.h"

namespace quantlens {

/// A name as a path that TensorBoard's graph and its lists of tags read alike: parts between '/',
/// none of them empty. What its reader of graphs takes for something else (':' before an output's
/// number, '^' before what is no data), blanks, quotes and control characters become '_'. Never
/// empty.
std::string event_path(std::string_view name);

/// The paths of a network's ops, inputs and weights: one for each, whatever they are called, the
/// same for equal networks.
class EventNames {
 public:
  explicit EventNames(const GraphOutline& graph);

  /// Of an op by its id, or by its name where its id is not known; of what the network does not
  /// have, such as an op of another network, a path made of its name.
  std::string op(const OpRef& op) const;
  std::string input(const std::string& value) const;
  std::string weight(const std::string& value) const;

 private:
  std::string claim(const std::string& name);

  std::set<std::string, std::less<>> taken_;
  std::unordered_map<std::string, std::string> ops_, inputs_, weights_;  // by id, by value
  std::unordered_map<std::string, std::string> named_;                   // ops by name, the first
};

/// A text that is not there yet: `text`, else with "_2" behind it and so on. Added to `taken`.
std::string claimed(std::string text, std::set<std::string, std::less<>>& taken);

}  // namespace quantlens
