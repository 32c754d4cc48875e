// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/recorded_outputs.h"

#include <algorithm>

namespace quantlens::flow {
namespace {

const TapState* kept(const MeasuredPart& part, const std::vector<std::string>& ops) {
  const auto found = std::ranges::find(part.in_float, ops, &OutputsInFloat::ops);
  return found == part.in_float.end() ? nullptr : &found->errors;
}

}  // namespace

std::optional<OutputsCompared> RecordedOutputs::compared(const std::vector<std::string>& ops) {
  std::optional<OutputsCompared> errors = source_.compared(ops);
  if (!errors) return errors;
  if (passes_.outputs.empty()) {
    passes_.outputs.push_back({.as_they_are = errors->as_they_are, .in_float = {}});
  }
  MeasuredPart& part = passes_.outputs.back();
  if (kept(part, ops) == nullptr) part.in_float.push_back({ops, errors->in_float});
  return errors;
}

std::optional<OutputsCompared> StoredOutputs::compared(const std::vector<std::string>& ops) {
  std::optional<OutputsCompared> all;
  for (const MeasuredPart& part : passes_.outputs) {
    const TapState* errors = kept(part, ops);
    if (errors == nullptr) continue;
    if (!all) all.emplace();
    merge(all->as_they_are, part.as_they_are);
    merge(all->in_float, *errors);
  }
  return all;
}

}  // namespace quantlens::flow
