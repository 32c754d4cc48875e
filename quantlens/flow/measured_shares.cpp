// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/measured_shares.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/diagnosis/float_ops.h"
#include "quantlens/flow/output_errors.h"
#include "quantlens/flow/scratch_folder.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/stand_in.h"

namespace quantlens::flow {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // of a file that is written anew
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
    return found == first.reference.end() || found->second.dtype() != DType::float32 ||
           !first.quantized.contains(pair.quantized);
  });
  return spec;
}

class Measurement {
 public:
  Measurement(const LocalPasses& passes, const BareAnswers& bare)
      : passes_(passes),
        bare_(bare),
        beside_(stand_in(passes.models.reference)),
        outputs_(given_outputs(passes.models, bare)) {
    std::uint64_t samples = 0;
    for (const Batch& batch : bare.batches) {
      if (samples >= passes.samples) break;
      samples += batch.samples.size();
      ++batches_;
    }
  }

  std::optional<Gain> gain(const std::vector<std::string>& ops) {
    const Model& quantized = passes_.models.quantized;
    if (batches_ == 0 || outputs_.pairs.empty()) return std::nullopt;
    if (quantized.file.bytes().size() > kMostBytes || quantized.graph.nodes.size() > kMostNodes) {
      note("measuring one takes too long for a model of this size");
      return std::nullopt;
    }
    try {
      const std::optional<Patch> patch =
          float_ops(passes_.models.reference, quantized, passes_.pairing, ops);
      if (!patch) return std::nullopt;
      if (!before_) {
        before_ =
            errors([&](std::size_t i) -> const TensorMap& { return bare_.outputs[i].quantized; });
      }
      if (!has_output_error(*before_)) return std::nullopt;
      Store& store = passes_.session.store;
      const ScratchFolder scratch(store, passes_.folder / "float_ops");
      const fs::path path = scratch.path() / quantized.path.filename();
      frontend::write_patched(quantized, *patch, store, path);
      const std::vector<TensorMap> answers = answers_of(frontend::read(path));
      return output_gain(*before_,
                         errors([&](std::size_t i) -> const TensorMap& { return answers[i]; }));
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;
      note(error.what());
      return std::nullopt;
    }
  }

 private:
  void note(std::string_view why) {
    if (noted_) return;
    noted_ = true;
    passes_.session.progress.note(fmt::format("some shares are estimates: {}", why));
  }

  /// What a model that is quantized in another way answers to the batches, by itself.
  std::vector<TensorMap> answers_of(const Model& quantized) {
    const Session& session = passes_.session;
    const Model& beside = beside_ ? *beside_ : passes_.models.reference;
    RunOptions how = run_options(session);
    how.apart = true;  // it computes what it computes bare (ADR 30)
    const ClosingRun run = closing(open(beside, &quantized, {}, how), session.phases);
    std::vector<TensorMap> answers(batches_);
    const ProgressStep open_step(session.progress, fmt::format("shares {}", ++runs_), std::nullopt);
    Cores cores(session.threads);
    for (std::size_t done = 0, width = 1; done < batches_;
         done += width, width = run->in_flight()) {
      throw_if_stopped(session.progress);
      cores.parallel_for(std::min(width, batches_ - done), [&](std::size_t i) {
        answers[done + i] = run->step(bare_.batches[done + i]).quantized;
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
  std::size_t runs_ = 0;
  bool noted_ = false;
};

}  // namespace

MeasureShare measured_shares(const LocalPasses& passes, const BareAnswers& bare) {
  const auto measurement = std::make_shared<Measurement>(passes, bare);
  return [measurement](const std::vector<std::string>& ops) { return measurement->gain(ops); };
}

}  // namespace quantlens::flow
