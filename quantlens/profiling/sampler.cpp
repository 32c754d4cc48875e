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

std::array<Turn, 2> Sampler::next() {
  const std::size_t batch = next_++ % batches_.size();
  return {Turn{.model = bare_.get(), .batch = batch}, Turn{.model = timed_.get(), .batch = batch}};
}

void Sampler::keep(std::size_t which, const RunTime& time) {
  (which == 0 ? samples_.wall_us : samples_.timed_us)
      .push_back(static_cast<double>(time.whole) / 1e3);
  for (const std::uint64_t ns : time.nodes) {
    samples_.nodes_us.push_back(static_cast<float>(ns) / 1e3F);
  }
}

void take_samples(std::span<Sampler* const> samplers, std::size_t first, std::size_t count) {
  std::vector<Turn> turns;
  std::vector<Sampler*> whose;
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < samplers.size(); ++k) {
      Sampler* sampler = samplers[i % 2 == 0 ? k : samplers.size() - 1 - k];
      for (const Turn& turn : sampler->next()) {
        turns.push_back(turn);
        whose.push_back(sampler);
      }
    }
  }
  run_in_turn(turns,
              [&](std::size_t turn, const RunTime& time) { whose[turn]->keep(turn % 2, time); });
}

}  // namespace quantlens
