// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/sampler.h"

#include "quantlens/base/error.h"

namespace quantlens {

Sampler::Sampler(const Model& model, std::span<const Batch> batches, const TimedOptions& how,
                 const Progress& progress)
    : model_(model), batches_(batches), how_(how), progress_(progress) {
  how_.in_turn = true;
  how_.stop_requested = [&progress] { return progress.stop_requested(); };
}

void Sampler::open(std::size_t warm_up) {
  bare_.reset();  // before the next is loaded: two of them need no more memory than one
  timed_.reset();
  TimedOptions how = how_;
  throw_if_stopped(progress_);
  bare_ = open_timed(model_, how);
  throw_if_stopped(progress_);
  how.nodes = true;
  timed_ = open_timed(model_, how);
  for (const Batch& batch : batches_) {
    bare_->add(batch);
    timed_->add(batch);
  }
  for (std::size_t i = 0; i < warm_up; ++i) {
    throw_if_stopped(progress_);
    bare_->run(i % batches_.size());
    throw_if_stopped(progress_);
    timed_->run(i % batches_.size());
  }
  if (samples_.graph.nodes.empty()) {
    timed_->run(0);
    samples_.graph = timed_->graph();
    samples_.types = timed_->types();
    samples_.answers = {
        .bare = bare_->outputs(0), .again = bare_->outputs(0), .timed = timed_->outputs(0)};
  } else if (samples_.graph.nodes.size() != timed_->graph().nodes.size()) {
    throw Error(Errc::failed, "the runtime has made two different graphs of the same model");
  }
}

void Sampler::sample() {
  const std::size_t batch = next_++ % batches_.size();
  throw_if_stopped(progress_);
  samples_.wall_us.push_back(static_cast<double>(bare_->run(batch).whole) / 1e3);
  throw_if_stopped(progress_);
  const RunTime time = timed_->run(batch);
  samples_.timed_us.push_back(static_cast<double>(time.whole) / 1e3);
  for (const std::uint64_t ns : time.nodes) {
    samples_.nodes_us.push_back(static_cast<float>(ns) / 1e3F);
  }
}

}  // namespace quantlens
