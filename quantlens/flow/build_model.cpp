// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/build_model.h"

#include <map>

#include <boost/json/serialize.hpp>

#include "quantlens/base/cpu.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/version.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/accuracy_level.h"
#include "quantlens/quantizer/correct_bias.h"

namespace quantlens::flow {

PlanResult plan_for(const FloatModel& from, const GivenRanges& given, const Recipe& recipe) {
  PlanResult planned =
      make_plan(from.model, from.prepared, given.ranges, recipe, {.vnni = cpu_has_vnni()});
  if (given.statistics && wants_bias_correction(recipe)) {
    correct_biases(from.model, from.prepared, *given.statistics, planned.plan);
  }
  if (from.edited) {
    planned.plan.effects.insert(planned.plan.effects.begin(), from.edited->effects.begin(),
                                from.edited->effects.end());
  }
  return planned;
}

std::vector<std::string> write_quantized(const FloatModel& from, const Plan& plan,
                                         const Recipe& recipe, Store& store, const fs::path& path) {
  std::map<std::string, std::string> metadata{
      {"quantlens.version", kVersion},
      {"quantlens.format", plan.quant_format},
      {"quantlens.recipe", boost::json::serialize(json::encode(recipe))}};
  if (from.edited) metadata[kFloatModelKey] = sha256_hex(from.edited->model.file.text());
  return frontend::apply(from.model, plan, metadata, store, path);
}

}  // namespace quantlens::flow
