// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/measured_outputs.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/diagnosis/error/float_ops.h"
#include "quantlens/diagnosis/error/output_gain.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/passes/lockstep.h"
#include "quantlens/flow/steps/passes/output_errors.h"
#include "quantlens/frontend/probe_models.h"
#include "quantlens/record/op_refs.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

constexpr std::uint64_t kMostRewrittenBytes = std::uint64_t{1}
                                              << 30U;  // of a file that is written anew
/// Each share loads the quantized model once more, in a time that grows with the square of its
/// nodes (docs/performance.md): so many take some ten seconds.
constexpr std::size_t kMostNodes = 10'000;

/// The paired outputs that both models gave as floats.
TapSpec given_outputs(const ModelPair& models, const BareAnswers& bare) {
  if (bare.outputs.empty()) return {};
  const Outputs& first = bare.outputs.front();
  TapSpec spec = paired_outputs(models);
  std::erase_if(spec.pairs, [&](const PairTap& pair) {
    const auto found = first.reference.find(pair.reference);
    return found == first.reference.end() || !is_float(found->second.dtype()) ||
           !first.quantized.contains(pair.quantized);
  });
  return spec;
}

/// The quantized model with some ops in float, loaded beside a model of no weight.
class Patched {
 public:
  /// What goes wrong is thrown by `run`. In a folder of this name a model is written.
  Patched(const LocalPasses& passes, const Model& beside, const std::vector<OpRef>& ops,
          const std::string& name) {
    Phases phases;
    try {
      const Phase ours(&phases, "findings");
      open_run(passes, beside, ops, name, phases);
    } catch (...) {
      failure_ = std::current_exception();
    }
    seconds_ = phases.seconds();
  }
  ~Patched() = default;
  Patched(const Patched&) = delete;
  Patched& operator=(const Patched&) = delete;

  /// Null where there is nothing to put into float.
  Run* run() const {
    if (failure_) std::rethrow_exception(failure_);
    return run_.get();
  }
  /// Of loading it, by phase.
  const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  void open_run(const LocalPasses& passes, const Model& beside, const std::vector<OpRef>& ops,
                const std::string& name, Phases& phases) {
    const Model& quantized = passes.models.quantized.model;
    const std::optional<Patch> patch = float_ops(passes.models, ops);
    if (!patch) return;
    Store& store = passes.session.store;
    scratch_.emplace(store, passes.folder / name);
    const fs::path path = scratch_->path() / quantized.path.filename();
    formats(passes.session).write_patched(quantized, *patch, store, path);
    model_ = formats(passes.session).read(path);
    RunOptions how = run_options(passes.session);
    how.apart = true;  // it computes what it computes bare (ADR 30)
    how.watch.phases = &phases;
    run_ = closing(open(beside, &*model_, {}, how), passes.session.phases);
  }

  std::optional<ScratchFolder> scratch_;
  std::optional<Model> model_;
  ClosingRun run_;  // last: goes before the model that it runs, on the thread that asked
  std::exception_ptr failure_;
  std::map<std::string, double> seconds_;
};

class MeasuredOutputs final : public OutputErrors {
 public:
  MeasuredOutputs(const LocalPasses& passes, const BareAnswers& bare)
      : passes_(passes),
        bare_(bare),
        beside_(frontend::stand_in(passes.models.reference.model)),
        outputs_(
            given_outputs({passes.models.reference.model, passes.models.quantized.model}, bare)) {
    std::uint64_t samples = 0;
    for (const Batch& batch : bare.batches) {
      if (samples >= passes.samples) break;
      samples += batch.samples.size();
      ++batches_;
    }
  }

  std::optional<OutputsCompared> compared(const std::vector<OpRef>& ops) override {
    try {
      if (!can_run() || !has_error()) return std::nullopt;
      load({ops});
      const std::unique_ptr<Patched> patched = std::move(loaded_.extract(ops).mapped());
      if (patched->run() == nullptr) return std::nullopt;
      const std::vector<TensorMap> answers = answers_of(*patched->run());
      return OutputsCompared{
          .as_they_are = *before_,
          .in_float = errors([&](std::size_t i) -> const TensorMap& { return answers[i]; })};
    } catch (const Error& error) {
      pass_over(error);
      return std::nullopt;
    }
  }

  /// Loads as many of them at once as there is room for, those that come first.
  void expect(const std::vector<std::vector<OpRef>>& all) override {
    const Session& session = passes_.session;
    if (session.threads < 2 || session.isolation) return;
    try {
      if (!can_run() || !has_error()) return;
      const std::uint64_t further =
          std::min<std::uint64_t>(all.size(), room_beside(passes_.models.quantized.model, session));
      const auto count = static_cast<std::ptrdiff_t>(std::min(all.size(), 1 + further));
      load({all.begin(), all.begin() + count});
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;  // else `compared` meets it again
    }
  }

 private:
  /// Whether anything can be measured.
  bool can_run() {
    const Model& quantized = passes_.models.quantized.model;
    if (batches_ == 0 || outputs_.pairs.empty()) return false;
    if (quantized.file.bytes().size() <= kMostRewrittenBytes &&
        quantized.graph.nodes.size() <= kMostNodes)
      return true;
    note("measuring one takes too long for a model of this size");
    return false;
  }

  bool has_error() {
    if (!before_) {
      before_ =
          errors([&](std::size_t i) -> const TensorMap& { return bare_.outputs[i].quantized; });
    }
    return has_output_error(*before_);
  }

  void load(std::vector<std::vector<OpRef>> wanted) {
    std::erase_if(wanted, [this](const auto& ops) { return loaded_.contains(ops); });
    if (wanted.empty()) return;
    Progress& progress = passes_.session.progress;
    throw_if_stopped(progress);
    std::vector<std::unique_ptr<Patched>> models(wanted.size());
    const Model& beside = beside_ ? *beside_ : passes_.models.reference.model;
    const ProgressStep loading(progress, "load models of shares", wanted.size());
    std::mutex mutex;  // progress is told by one thread at a time
    const auto begun = std::chrono::steady_clock::now();
    Cores(passes_.session.threads).parallel_for(wanted.size(), [&](std::size_t i) {
      const std::string name = fmt::format("float_ops{}", made_ + i);
      models[i] = std::make_unique<Patched>(passes_, beside, wanted[i], name);
      const std::lock_guard lock(mutex);
      progress.advance(1);
    });
    made_ += models.size();
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begun;
    std::map<std::string, double> seconds;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (const auto& [name, each] : models[i]->seconds()) seconds[name] += each;
      loaded_.emplace(std::move(wanted[i]), std::move(models[i]));
    }
    if (passes_.session.phases != nullptr) passes_.session.phases->spread(waited.count(), seconds);
    throw_if_stopped(progress);
  }

  void pass_over(const Error& error) {
    if (error.code() == Errc::interrupted) throw error;
    note(error.what());
  }

  void note(std::string_view why) {
    if (noted_) return;
    noted_ = true;
    passes_.session.progress.note(fmt::format("some shares are estimates: {}", why));
  }

  /// What a model that is quantized in another way answers to the batches, by itself.
  std::vector<TensorMap> answers_of(Run& run) {
    const Session& session = passes_.session;
    std::vector<TensorMap> answers(batches_);
    const ProgressStep open_step(session.progress, fmt::format("shares {}", ++runs_), std::nullopt);
    Cores cores(session.threads);
    for (std::size_t done = 0, width = 1; done < batches_; done += width, width = run.in_flight()) {
      throw_if_stopped(session.progress);
      cores.parallel_for(std::min(width, batches_ - done), [&](std::size_t i) {
        answers[done + i] = run.step(bare_.batches[done + i]).quantized;
      });
    }
    return answers;
  }

  /// Of the answers to each batch against the float model's.
  TapState errors(const std::function<const TensorMap&(std::size_t)>& answers) const {
    Accumulators accumulators(outputs_);
    for (std::size_t i = 0; i < batches_; ++i) {
      const TensorMap& reference = bare_.outputs[i].reference;
      const TensorMap& quantized = answers(i);
      Accumulators::Step step = accumulators.begin(bare_.batches[i].samples);
      for (std::size_t slot = 0; slot < outputs_.pairs.size(); ++slot) {
        const PairTap& pair = outputs_.pairs[slot];
        step.compare(slot, view(reference.at(pair.reference)), view(quantized.at(pair.quantized)));
      }
      step.end();
    }
    return accumulators.take();
  }

  const LocalPasses& passes_;
  const BareAnswers& bare_;
  const std::optional<Model> beside_;
  const TapSpec outputs_;
  std::size_t batches_ = 0;  // of the bare ones
  std::optional<TapState> before_;
  std::map<std::vector<OpRef>, std::unique_ptr<Patched>> loaded_;  // and not run yet, by ops
  std::size_t made_ = 0;
  std::size_t runs_ = 0;
  bool noted_ = false;
};

}  // namespace

std::unique_ptr<OutputErrors> measured_outputs(const LocalPasses& passes, const BareAnswers& bare) {
  return std::make_unique<MeasuredOutputs>(passes, bare);
}

}  // namespace quantlens::flow
