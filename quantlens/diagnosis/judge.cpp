// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/judge.h"

#include <map>
#include <utility>

#include "quantlens/diagnosis/error/local_errors.h"
#include "quantlens/diagnosis/error/output_gain.h"
#include "quantlens/diagnosis/rules/observation.h"
#include "quantlens/diagnosis/verdict/find.h"

namespace quantlens {
namespace {

const TapState* if_there(const std::optional<TapState>& state) {
  return state ? &*state : nullptr;
}

/// Local errors, their parts and shares; returns the shares without each block of samples.
SharesWithout add_local(const PairedModels& models, const States& states, Diagnosis& diagnosis) {
  if (diagnosis.paired == 0) return {};
  const LocalStates& local = states.local();
  if (!local.ops) return {};
  return add_local_errors(
      models.reference.model.graph, models.pairing,
      {states.accumulated, *local.ops, if_there(local.weights), if_there(local.inputs)}, diagnosis);
}

ShareSources sources(const SharesWithout& without, OutputErrors& outputs) {
  return {.without = without,
          .measure = [&outputs](const std::vector<OpRef>& ops) -> std::optional<Gain> {
            const std::optional<OutputsCompared> errors = outputs.compared(ops);
            if (!errors || !has_output_error(errors->as_they_are)) return std::nullopt;
            return output_gain(errors->as_they_are, errors->in_float);
          },
          .expect = [&outputs](const auto& ops) { outputs.expect(ops); }};
}

}  // namespace

Diagnosis judge(const PairedModels& models, const States& states) {
  Phase tables(states.phases, "diagnose");
  Diagnosis diagnosis = diagnose(models, states.accumulated, states.names);
  tables.end();
  Phase locally(states.phases, "local passes");
  const SharesWithout without = add_local(models, states, diagnosis);
  locally.end();
  const Phase finding(states.phases, "findings");
  add_findings(models, sources(without, states.outputs), diagnosis);
  add_observation(states.observation, diagnosis);
  // What makes figures doubtful is in the report itself, which others read without the notes.
  if (!states.caveat.empty()) {
    diagnosis.conclusions.insert(
        diagnosis.conclusions.begin(),
        {.says = "caveat", .figures = {{"text", figure::text(states.caveat)}}});
  }
  return diagnosis;
}

std::vector<SampleName> named_samples(const Diagnosis& diagnosis) {
  std::map<std::uint64_t, std::string> names;
  for (const ActivationRow& row : diagnosis.activations) {
    for (const SampleShare& share : row.worst_samples) names.emplace(share.sample, share.name);
  }
  std::vector<SampleName> named;
  named.reserve(names.size());
  for (auto& [sample, name] : names) named.push_back({sample, std::move(name)});
  return named;
}

}  // namespace quantlens
