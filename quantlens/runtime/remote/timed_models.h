// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/remote/answer.h"
#include "quantlens/runtime/timed.h"

namespace quantlens::remote {

/// The models that a worker has open for their time, by number: all in one process, so that they
/// run in turn as they would in the one that asks.
class TimedModels {
 public:
  using Opener = std::unique_ptr<TimedRun> (*)(const Model&, const TimedOptions&);

  Answer open(Model model, const TimedOptions& options, Opener opener);
  Answer add(const Received& request);
  Answer time(const Received& request);
  Answer outputs(const Received& request);
  Answer close(const Received& request);

 private:
  struct Timed {
    Model model;  // the run refers to it
    std::unique_ptr<TimedRun> run;
    std::uint64_t batches = 0;
    bool graph_told = false;
    bool types_told = false;
  };
  /// Throws Errc::usage where there is none of this number.
  Timed& timed(std::uint64_t model);
  Timed& with_batch(const TimedBatchText& text);

  std::map<std::uint64_t, Timed> timed_;
  std::uint64_t opened_ = 0;
};

}  // namespace quantlens::remote
