// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/measured_shares.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/float_ops.h"
#include "quantlens/flow/output_errors.h"
#include "quantlens/flow/scratch_folder.h"
#include "quantlens/frontend/frontend.h"

namespace quantlens::flow {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // of a file that is written anew
/// Each share loads the quantized model once more, in a time that grows with the square of its
/// nodes (docs/performance.md): so many take some ten seconds.
constexpr std::size_t kMostNodes = 10'000;

class Measurement {
 public:
  explicit Measurement(const LocalPasses& passes)
      : passes_(passes), samples_{.first = 0, .count = std::min(passes.samples, kShareSamples)} {}

  std::optional<Gain> gain(const std::vector<std::string>& ops) {
    const Model& quantized = passes_.models.quantized;
    if (samples_.count == 0) return std::nullopt;
    if (quantized.file.bytes().size() > kMostBytes || quantized.graph.nodes.size() > kMostNodes) {
      note("measuring one takes too long for a model of this size");
      return std::nullopt;
    }
    try {
      const std::optional<Patch> patch =
          float_ops(passes_.models.reference, quantized, passes_.pairing, ops);
      if (!patch) return std::nullopt;
      if (!before_) before_ = errors(quantized);
      if (!has_output_error(*before_)) return std::nullopt;
      Store& store = passes_.session.store;
      const ScratchFolder scratch(store, passes_.folder / "float_ops");
      const fs::path path = scratch.path() / quantized.path.filename();
      frontend::write_patched(quantized, *patch, store, path);
      return output_gain(*before_, errors(frontend::read(path)));
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

  TapState errors(const Model& quantized) {
    return output_errors({passes_.models.reference, quantized}, passes_.data, samples_,
                         passes_.session, fmt::format("shares {}", runs_++));
  }

  const LocalPasses& passes_;
  Samples samples_;
  std::optional<TapState> before_;
  std::size_t runs_ = 0;
  bool noted_ = false;
};

}  // namespace

MeasureShare measured_shares(const LocalPasses& passes) {
  const auto measurement = std::make_shared<Measurement>(passes);
  return [measurement](const std::vector<std::string>& ops) { return measurement->gain(ops); };
}

}  // namespace quantlens::flow
