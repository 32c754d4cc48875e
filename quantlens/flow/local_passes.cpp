// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/local_passes.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/local_errors.h"
#include "quantlens/diagnosis/rounded_inputs.h"
#include "quantlens/diagnosis/rounded_weights.h"
#include "quantlens/flow/scratch_folder.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

/// Nothing where it fails, which a note says: "<what>: <why>".
std::optional<TapState> tried(const Session& session, const std::string& what,
                              const std::function<TapState()>& pass) {
  try {
    return pass();
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    session.progress.note(fmt::format("{}: {}", what, error.what()));
    return std::nullopt;
  }
}

TapState gathered(const LocalPasses& passes, const Model& beside, const TapSpec& taps,
                  const std::string& step) {
  const auto run = open(passes.models.reference, &beside, taps, run_options(passes.session));
  BatchReader reader = make_reader(passes.data, passes.session, passes.samples);
  feed(*run, reader, passes.session.progress, step);
  return run->take();
}

std::optional<TapState> local_errors(const LocalPasses& passes) {
  return tried(passes.session, "local errors are left out", [&] {
    return gathered(passes, passes.models.quantized, local_taps_for(passes.pairing),
                    "local errors");
  });
}

/// What rounded inputs alone make of each op.
std::optional<TapState> input_errors(const LocalPasses& passes) {
  return tried(passes.session, "errors of inputs are estimated", [&] {
    return gathered(passes, passes.models.reference, rounded_input_taps(passes.pairing),
                    "input errors");
  });
}

/// What rounded weights alone make of each op.
std::optional<TapState> weight_errors(const LocalPasses& passes) {
  const Model& reference = passes.models.reference;
  std::optional<RoundedWeights> rounded =
      rounded_weights(reference, passes.models.quantized, passes.pairing);
  if (!rounded) return std::nullopt;
  return tried(passes.session, "errors of weights are estimated", [&] {
    Store& store = passes.session.store;
    const ScratchFolder scratch(store, passes.folder / "rounded_weights");
    const fs::path path = scratch.path() / reference.path.filename();
    frontend::apply(reference, std::exchange(rounded->plan, {}), {}, store, path);
    return gathered(passes, frontend::read(path), rounded->taps, "weight errors");
  });
}

}  // namespace

SharesWithout add_local_passes(const LocalPasses& passes, const TapState& accumulated,
                               Diagnosis& diagnosis) {
  if (passes.samples == 0 || diagnosis.paired == 0) return {};
  const std::optional<TapState> local = local_errors(passes);
  if (!local) return {};
  const std::optional<TapState> weights = weight_errors(passes);
  const std::optional<TapState> inputs = input_errors(passes);
  return add_local_errors(
      passes.models.reference.graph, passes.pairing,
      {accumulated, *local, weights ? &*weights : nullptr, inputs ? &*inputs : nullptr}, diagnosis);
}

}  // namespace quantlens::flow
