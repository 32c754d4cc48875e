// What one worker has open, and its answers to questions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/runtime/remote/answer.h"
#include "quantlens/runtime/remote/serve.h"
#include "quantlens/runtime/remote/timed_models.h"

namespace quantlens::remote {

Message error_message(const Error& error);

/// Steps of a Run that several threads make.
class Stepping {
 public:
  /// Says what was known when it was done.
  Outputs step(Run& run, const Batch& batch, SteppedText& done);

 private:
  struct Count;

  std::mutex mutex_;
  int under_way_ = 0;  // a step counts until its answer is complete
  std::uint64_t done_ = 0;
};

/// Steps may be asked for by several threads at once; all else is answered one at a time.
class WorkerSession {
 public:
  explicit WorkerSession(const Served& runtime) : runtime_(runtime) {}

  /// Whatever is thrown becomes an answer.
  Answer answer(const Received& request);

 private:
  Answer judged(const Received& request);
  Answer answer_alone(const Received& request);
  Answer open(const Received& request);
  Answer step(const Received& request);
  Answer take();
  Answer status() const;
  Answer read(const Received& request) const;
  Answer apply(const Received& request) const;
  Answer patch(const Received& request) const;
  Model read_given(const ModelFileText& text, const MappedFile& file) const;
  Run& opened() const;

  const Served& runtime_;
  std::mutex alone_;
  std::vector<Model> models_;
  std::unique_ptr<Run> run_;
  Stepping stepping_;
  TimedModels timed_;
};

}  // namespace quantlens::remote
