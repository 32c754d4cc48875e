// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/recorded_outputs.h"

#include <algorithm>

#include "quantlens/record/op_refs.h"

namespace quantlens::flow {
namespace {

const TapState* kept(const MeasuredPart& part, const std::vector<OpRef>& ops) {
  const auto found = std::ranges::find_if(part.in_float, [&](const OutputsInFloat& one) {
    return std::ranges::equal(one.ops, ops, is_same_op);
  });
  return found == part.in_float.end() ? nullptr : &found->errors;
}

}  // namespace

std::optional<OutputsCompared> RecordedOutputs::compared(const std::vector<OpRef>& ops) {
  std::optional<OutputsCompared> errors = source_.compared(ops);
  if (!errors) return errors;
  if (passes_.outputs.empty()) {
    passes_.outputs.push_back({.as_they_are = errors->as_they_are, .in_float = {}});
  }
  MeasuredPart& part = passes_.outputs.back();
  if (kept(part, ops) == nullptr) part.in_float.push_back({ops, errors->in_float});
  return errors;
}

std::optional<OutputsCompared> StoredOutputs::compared(const std::vector<OpRef>& ops) {
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
