// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "quantlens/dataset/reader.h"
#include "quantlens/flow/session.h"
#include "quantlens/profiling/pair/join.h"
#include "quantlens/profiling/pair/try_remedies.h"
#include "quantlens/profiling/profile.h"

namespace quantlens::flow {

/// Two models that were profiled.
struct ProfiledModels {
  const Model& reference;
  const Model& quantized;
  const ProfiledModel& profile;  ///< of the reference
  const FittedData& data;
  std::span<const Batch> batches;  ///< that both were timed over, as the reference names its inputs
};

/// Times remedies in the model that would be shipped: makes the quantized model anew from the
/// float one by the recipe in its metadata with the remedy laid over it, calibrated on the batches
/// that are timed, and runs it in turn with the quantized model as it is. A remedy is one step of
/// progress.
class RemedyBench {
 public:
  /// Views all it is given. `folder`: where models are written, and removed.
  RemedyBench(const ProfiledModels& models, const ProfileOptions& options, const Session& session,
              fs::path folder);
  ~RemedyBench();
  RemedyBench(const RemedyBench&) = delete;
  RemedyBench& operator=(const RemedyBench&) = delete;

  /// Not timed where the model with the remedy is not known: the quantized model is none of
  /// quantlens, was made from an edited float model, or comes out as another one when it is made
  /// anew without the remedy; and where remedies have taken a minute. Throws what making and timing
  /// it throw.
  std::variant<RemedyTimes, NotTimed> time(const json::Value& remedy);

 private:
  class Maker;

  /// Says why the quantized model cannot be made anew; nothing where it can.
  std::optional<Statement> make_ready();

  ProfiledModels models_;
  ProfileOptions options_;
  const Session& session_;
  fs::path folder_;
  std::unique_ptr<Maker> maker_;
  std::optional<Statement> refusal_;  // once it is known
  double seconds_ = 0;
  std::uint64_t tried_ = 0;
};

}  // namespace quantlens::flow
