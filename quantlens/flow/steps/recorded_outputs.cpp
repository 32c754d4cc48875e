// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/recorded_outputs.h"

#include <algorithm>

namespace quantlens::flow {
namespace {

const TapState* kept(const Passes& passes, const std::vector<std::string>& ops) {
  const auto found = std::ranges::find(passes.in_float, ops, &OutputsInFloat::ops);
  return found == passes.in_float.end() ? nullptr : &found->errors;
}

}  // namespace

const TapState* RecordedOutputs::as_they_are() {
  const TapState* outputs = source_.as_they_are();
  if (outputs != nullptr && !passes_.outputs) passes_.outputs = *outputs;
  return outputs;
}

std::optional<TapState> RecordedOutputs::in_float(const std::vector<std::string>& ops) {
  std::optional<TapState> errors = source_.in_float(ops);
  if (errors && kept(passes_, ops) == nullptr) passes_.in_float.push_back({ops, *errors});
  return errors;
}

const TapState* StoredOutputs::as_they_are() {
  return passes_.outputs ? &*passes_.outputs : nullptr;
}

std::optional<TapState> StoredOutputs::in_float(const std::vector<std::string>& ops) {
  const TapState* errors = kept(passes_, ops);
  return errors != nullptr ? std::optional(*errors) : std::nullopt;
}

}  // namespace quantlens::flow
