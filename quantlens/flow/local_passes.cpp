// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/local_passes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/diagnosis/local_errors.h"
#include "quantlens/diagnosis/rounded_inputs.h"
#include "quantlens/diagnosis/rounded_weights.h"
#include "quantlens/flow/lockstep.h"
#include "quantlens/flow/scratch_folder.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

/// Passes are opened side by side, and phases are for one thread.
RunOptions watched_by(Phases& phases, const Session& session) {
  RunOptions options = run_options(session);
  options.watch.phases = &phases;
  return options;
}

/// A pass over the first samples with a model beside the reference. It may be opened on one thread,
/// and run on another one later.
class Pass {
 public:
  virtual ~Pass() = default;
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// What it throws is thrown by `gathered`.
  void open_run() noexcept {
    is_open_ = true;
    try {
      Phases phases;
      const Phase ours(&phases, "local passes");
      run_ = opened(phases);
      seconds_ = phases.seconds();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// Opens it where it is not open yet, and closes it. Nothing where it fails, which a note says,
  /// or where there is nothing to run.
  std::optional<TapState> gathered(const LocalPasses& passes, const char* step,
                                   const char* without) {
    if (!is_open_) {
      const auto begun = std::chrono::steady_clock::now();
      open_run();
      const std::chrono::duration<double> opening = std::chrono::steady_clock::now() - begun;
      if (passes.session.phases != nullptr)
        passes.session.phases->spread(opening.count(), seconds_);
    }
    try {
      if (failure_) std::rethrow_exception(failure_);
      if (!run_) return std::nullopt;
      const ClosingRun run = closing(std::move(run_), passes.session.phases);
      BatchReader reader = make_reader(passes.data, passes.session, passes.samples);
      feed(*run, reader, passes.session.progress, step);
      return run->take();
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;
      passes.session.progress.note(fmt::format("{}: {}", without, error.what()));
      return std::nullopt;
    }
  }

  /// Of opening it, by phase.
  const std::map<std::string, double>& seconds() const { return seconds_; }
  void close() { run_.reset(); }

 private:
  virtual std::unique_ptr<Run> opened(Phases& phases) = 0;

  bool is_open_ = false;
  std::unique_ptr<Run> run_;
  std::map<std::string, double> seconds_;
  std::exception_ptr failure_;
};

/// Each op alone, on what the float model gives it.
class LocalErrors final : public Pass {
 public:
  explicit LocalErrors(const LocalPasses& passes) : passes_(passes) {}
  ~LocalErrors() override { close(); }

 private:
  std::unique_ptr<Run> opened(Phases& phases) override {
    return open(passes_.models.reference, &passes_.models.quantized,
                local_taps_for(passes_.pairing), watched_by(phases, passes_.session));
  }

  const LocalPasses& passes_;
};

/// What rounded inputs alone make of each op.
class InputErrors final : public Pass {
 public:
  explicit InputErrors(const LocalPasses& passes) : passes_(passes) {}
  ~InputErrors() override { close(); }

 private:
  std::unique_ptr<Run> opened(Phases& phases) override {
    return open(passes_.models.reference, &passes_.models.reference,
                rounded_input_taps(passes_.pairing), watched_by(phases, passes_.session));
  }

  const LocalPasses& passes_;
};

/// What rounded weights alone make of each op.
class WeightErrors final : public Pass {
 public:
  explicit WeightErrors(const LocalPasses& passes) : passes_(passes) {}
  ~WeightErrors() override { close(); }  // before the model that it runs

 private:
  std::unique_ptr<Run> opened(Phases& phases) override {
    const Model& reference = passes_.models.reference;
    std::optional<RoundedWeights> rounded =
        rounded_weights(reference, passes_.models.quantized, passes_.pairing);
    if (!rounded) return nullptr;
    Store& store = passes_.session.store;
    scratch_.emplace(store, passes_.folder / "rounded_weights");
    const fs::path path = scratch_->path() / reference.path.filename();
    frontend::apply(reference, std::exchange(rounded->plan, {}), {}, store, path);
    model_ = frontend::read(path);
    return open(reference, &*model_, rounded->taps, watched_by(phases, passes_.session));
  }

  const LocalPasses& passes_;
  std::optional<ScratchFolder> scratch_;
  std::optional<Model> model_;
};

constexpr std::size_t kPasses = 3;

/// How many passes may be open before the first one runs.
std::size_t open_together(const LocalPasses& passes) {
  const std::uint64_t further = room_beside(passes.models.reference, passes.session);
  return passes.session.threads < 2 ? 0 : 1 + std::min<std::uint64_t>(kPasses - 1, further);
}

/// What opening several at once was spent on.
void tell_phases(std::span<Pass* const> opened, double seconds, const Session& session) {
  std::map<std::string, double> all;
  for (const Pass* pass : opened) {
    for (const auto& [name, each] : pass->seconds()) all[name] += each;
  }
  if (session.phases != nullptr) session.phases->spread(seconds, all);
}

}  // namespace

SharesWithout add_local_passes(const LocalPasses& passes, const TapState& accumulated,
                               Diagnosis& diagnosis) {
  if (passes.samples == 0 || diagnosis.paired == 0) return {};
  LocalErrors of_ops(passes);
  WeightErrors of_weights(passes);
  InputErrors of_inputs(passes);
  // Half of their time is opening, which takes one thread each.
  const std::array<Pass*, kPasses> in_turn{&of_ops, &of_weights, &of_inputs};
  if (const std::size_t count = open_together(passes); count > 1) {
    const auto begun = std::chrono::steady_clock::now();
    Cores(std::min<unsigned>(passes.session.threads, kPasses))
        .parallel_for(count, [&](std::size_t i) { in_turn.at(i)->open_run(); });
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
    tell_phases(std::span(in_turn).first(count), waited.count(), passes.session);
  }
  const std::optional<TapState> local =
      of_ops.gathered(passes, "local errors", "local errors are left out");
  if (!local) return {};
  const std::optional<TapState> weights =
      of_weights.gathered(passes, "weight errors", "errors of weights are estimated");
  const std::optional<TapState> inputs =
      of_inputs.gathered(passes, "input errors", "errors of inputs are estimated");
  return add_local_errors(
      passes.models.reference.graph, passes.pairing,
      {accumulated, *local, weights ? &*weights : nullptr, inputs ? &*inputs : nullptr}, diagnosis);
}

}  // namespace quantlens::flow
