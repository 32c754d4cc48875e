// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/local_passes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/error/local_errors.h"
#include "quantlens/diagnosis/error/rounded_inputs.h"
#include "quantlens/diagnosis/error/rounded_weights.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/passes/lockstep.h"
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
/// and run on another one, which waits for that.
class Pass {
 public:
  virtual ~Pass() = default;
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Says that another thread opens it. REQUIRES: that thread has not begun.
  void leave_to_others() { is_for_others_ = true; }

  /// What it throws is thrown by `gathered`.
  void open_run() noexcept {
    try {
      Phases phases;
      const Phase ours(&phases, "local passes");
      run_ = opened(phases);
      seconds_ = phases.seconds();
    } catch (...) {
      failure_ = std::current_exception();
    }
    is_open_ = true;
    is_open_.notify_all();
  }

  /// Opens it where nobody does, or waits for that.
  void be_opened(const Session& session) {
    const ProgressStep loading(session.progress, "load models of local errors", std::nullopt);
    const auto begun = std::chrono::steady_clock::now();
    if (!is_open_ && !is_for_others_) open_run();
    is_open_.wait(false);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
    if (session.phases != nullptr) session.phases->spread(waited.count(), seconds_);
  }

  /// Runs it, opened by whoever, and closes it. Nothing where it fails, which a note says, or where
  /// there is nothing to run.
  std::optional<TapState> gathered(const LocalPasses& passes, const char* step,
                                   const char* without) {
    be_opened(passes.session);
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

  void close() { run_.reset(); }

 private:
  virtual std::unique_ptr<Run> opened(Phases& phases) = 0;

  bool is_for_others_ = false;
  std::atomic<bool> is_open_ = false;  // what follows is written before it is set
  std::unique_ptr<Run> run_;
  std::map<std::string, double> seconds_;  // of opening it, by phase
  std::exception_ptr failure_;
};

/// Each op alone, on what the float model gives it.
class LocalErrors final : public Pass {
 public:
  explicit LocalErrors(const LocalPasses& passes) : passes_(passes) {}
  ~LocalErrors() override { close(); }

 private:
  std::unique_ptr<Run> opened(Phases& phases) override {
    return open(passes_.models.reference.model, &passes_.models.quantized.model,
                local_taps_for(passes_.models.pairing), watched_by(phases, passes_.session));
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
    return open(passes_.models.reference.model, &passes_.models.reference.model,
                rounded_input_taps(passes_.models.pairing), watched_by(phases, passes_.session));
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
    const Model& reference = passes_.models.reference.model;
    std::optional<RoundedWeights> rounded = rounded_weights(passes_.models);
    if (!rounded) return nullptr;
    Store& store = passes_.session.store;
    scratch_.emplace(store, passes_.folder / "rounded_weights");
    const fs::path path = scratch_->path() / reference.path.filename();
    formats(passes_.session).apply(reference, std::exchange(rounded->plan, {}), {}, store, path);
    model_ = formats(passes_.session).read(path);
    return open(reference, &*model_, rounded->taps, watched_by(phases, passes_.session));
  }

  const LocalPasses& passes_;
  std::optional<ScratchFolder> scratch_;
  std::optional<Model> model_;
};

}  // namespace

/// Half of the passes' time is opening, which takes one thread each.
struct LocalRuns::Impl {
  explicit Impl(const LocalPasses& wanted)
      : passes(wanted), of_ops(wanted), of_weights(wanted), of_inputs(wanted) {}

  const LocalPasses& passes;
  LocalErrors of_ops;
  WeightErrors of_weights;
  InputErrors of_inputs;
  bool two_at_once = false;  ///< the first two may be open at once
  std::jthread opening;      // last: ends before what it opens goes
};

LocalRuns::LocalRuns(const LocalPasses& passes) : impl_(std::make_unique<Impl>(passes)) {
  const Session& session = passes.session;
  if (session.threads < 2 || session.isolation) return;  // stops are asked for on one thread alone
  if (passes.samples == 0 || passes.models.pairing.pairs.empty()) return;
  const std::uint64_t further = room_beside(passes.models.reference.model, session);
  impl_->two_at_once = further > 0;
  std::vector<Pass*> others{&impl_->of_ops};
  if (further > 1) others.push_back(&impl_->of_inputs);
  for (Pass* pass : others) pass->leave_to_others();
  impl_->opening = std::jthread([others] {
    for (Pass* pass : others) pass->open_run();
  });
}

LocalRuns::~LocalRuns() = default;

LocalStates LocalRuns::gathered() {
  const LocalPasses& passes = impl_->passes;
  if (passes.samples == 0) return {};
  if (impl_->two_at_once) impl_->of_weights.be_opened(passes.session);
  LocalStates states;
  states.ops = impl_->of_ops.gathered(passes, "local errors", "local errors are left out");
  if (!states.ops) return states;
  states.weights =
      impl_->of_weights.gathered(passes, "weight errors", "errors of weights are estimated");
  states.inputs =
      impl_->of_inputs.gathered(passes, "input errors", "errors of inputs are estimated");
  return states;
}

}  // namespace quantlens::flow
