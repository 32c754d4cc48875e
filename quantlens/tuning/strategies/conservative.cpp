// SPDX-License-Identifier: Apache-2.0
// From nothing in int8 to more: one type of op after the other, those that compute first, each kept
// only where the goal is still met.
#include <set>

#include <fmt/format.h>

#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

/// All ops in float but those of these types.
Recipe with_types(const Task& task, const std::set<std::string>& types) {
  std::vector<const TunableOp*> in_float;
  for (const TunableOp& op : task.space.ops) {
    if (!types.contains(op.type)) in_float.push_back(&op);
  }
  return with_float(task.start, in_float);
}

}  // namespace

void tune_conservative(Search& search) {
  const Task& task = search.task();
  if (task.space.types.empty()) {
    search.run({.recipe = task.start, .why = "the recipe as given: no op of it is int8"});
    return;
  }
  std::set<std::string> kept;
  for (const std::string& type : task.space.types) {
    std::set<std::string> types = kept;
    types.insert(type);
    const std::optional<Trial> trial = search.run(
        {.recipe = with_types(task, types), .why = fmt::format("{} in int8 as well", type)});
    if (!trial) return;
    if (trial->reached) kept = std::move(types);
  }
}

}  // namespace quantlens
