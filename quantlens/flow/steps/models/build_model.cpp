// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/build_model.h"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "quantlens/base/cpu.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/flow/steps/models/check_plan.h"
#include "quantlens/flow/version.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/plan/correct_bias.h"
#include "quantlens/quantizer/plan/guard_float.h"
#include "quantlens/quantizer/plan/guard_integer.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/runtime/deployed.h"

namespace quantlens::flow {
namespace {

/// A model that was written, as it runs.
struct Running {
  std::unique_ptr<const Model> model;
  ClosingRun run;  // of it
  std::vector<Deviation> deviations;
};

/// Throws where the runtime cannot tell what it makes of the file. It copies all weights into what
/// it tells: those of an int8 file are less than what calibration held, but for large ones, which
/// lie beside their model.
Running run_of(const Plan& plan, const fs::path& path, const Session& session) {
  auto written = std::make_unique<const Model>(formats(session).read(path));
  if (frontend::files_of(*written).size() > 1) {
    throw Error(Errc::unsupported, "its weights lie beside the file, and would be copied for that");
  }
  DeployedRun deployed = deployed_run(*written, run_options(session));
  std::vector<Deviation> deviations = check_plan(plan, written->graph, deployed.graph.graph,
                                                 capabilities_of(deployed.graph.format));
  return {.model = std::move(written),
          .run = closing(std::move(deployed.run), session.phases),
          .deviations = std::move(deviations)};
}

/// A file that the runtime of its float model refuses is of no use to anyone.
[[noreturn]] void give_up(const fs::path& written, const Error& refusal) {
  std::error_code ignored;
  fs::remove(written, ignored);
  throw Error(Errc::failed,
              fmt::format("{}; the file was removed: keep the op that this names in float, by "
                          "op_name_dict in a recipe",
                          refusal.what()));
}

std::set<std::string> ops_that(Runs runs, const std::vector<Deviation>& deviations,
                               const Plan& plan) {
  std::set<std::string> ops;
  for (const Deviation& deviation : deviations) {
    if (deviation.runs == runs) ops.insert(plan.ops[deviation.op].op.id);
  }
  return ops;
}

/// Whether that changes the plan.
bool guard_against(const std::vector<Deviation>& deviations, const FloatModel& from, Plan& plan) {
  const std::set<std::string> with_codes = ops_that(Runs::with_codes, deviations, plan);
  const std::set<std::string> in_float = ops_that(Runs::in_float, deviations, plan);
  if (with_codes.empty() && in_float.empty()) return false;
  const bool is_guarded = !guard_ops(from.analyzed.index, with_codes, plan).empty();
  return !guard_integer(from.analyzed.index, in_float, plan).empty() || is_guarded;
}

}  // namespace

PlanResult plan_for(const Draft& draft, const GivenRanges& given, const EditedFloat* edited) {
  PlanResult planned = make_plan(draft, given.ranges, {.vnni = cpu_has_vnni()});
  if (given.statistics && wants_bias_correction(draft.recipe())) {
    correct_biases(draft.analyzed(), *given.statistics, planned.plan);
  }
  if (edited != nullptr) {
    planned.plan.effects.insert(planned.plan.effects.begin(), edited->effects.begin(),
                                edited->effects.end());
  }
  return planned;
}

std::vector<std::string> write_quantized(const FloatModel& from, const Plan& plan,
                                         const Recipe& recipe, const Session& session,
                                         const fs::path& path) {
  std::map<std::string, std::string> metadata{
      {"quantlens.version", kVersion},
      {"quantlens.format", std::string(word(plan.quant_format))},
      {kRecipeKey, text_to_store(recipe)}};
  if (from.edited) metadata[kFloatModelKey] = sha256_hex(from.edited->model.file.text());
  return formats(session).apply(from.analyzed.model, plan, metadata, session.store, path);
}

Written write_as_planned(const FloatModel& from, Plan& plan, const Recipe& recipe,
                         const Session& session, const fs::path& path) {
  Written written{.notes = write_quantized(from, plan, recipe, session, path), .model = {}};
  // without codes between ops all of them run as told
  if (plan.activations.empty()) return written;
  std::vector<std::string>& notes = written.notes;
  if (formats(session).runs_apart(from.analyzed.model)) {
    notes.emplace_back(
        "which kernels the runtime chooses is not checked for models of this format; quantlens "
        "profile shows them");
    return written;
  }
  try {
    std::optional<Running> running = run_of(plan, path, session);
    if (guard_against(running->deviations, from, plan)) {
      running.reset();  // before there is another one
      notes = write_quantized(from, plan, recipe, session, path);
      running = run_of(plan, path, session);
    }
    for (std::string& note : tell_deviations(running->deviations, plan)) {
      notes.push_back(std::move(note));
    }
    written.model = std::move(running->model);
    written.run = std::move(running->run);
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    if (error.code() == Errc::bad_input) give_up(path, error);
    notes.push_back(fmt::format(
        "whether the runtime runs what the plan says could not be checked: {}", error.what()));
  }
  return written;
}

}  // namespace quantlens::flow
