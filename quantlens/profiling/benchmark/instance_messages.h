// What a benchmark and its instances say to each other: texts of frames (runtime/remote). The
// benchmark sends `open` with an InstanceJob, then for each round a `step` with each InstanceStep;
// the instance answers `opened`, `stepped` with an InstanceAnswer, or `error`. To `run` it answers
// once it has timed enough, and runs on, so that the others are still disturbed by it; `stop` ends
// that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/profiling/benchmark/rounds.h"
#include "quantlens/runtime/remote/answer.h"

namespace quantlens {

/// What an instance is there for.
struct InstanceJob {
  std::vector<std::string> models;  ///< paths; the first says what the data must be like
  std::string data;                 ///< as `--data` takes it
  std::uint64_t batch_size = 1;
  std::uint64_t seed = 0;
  RoundOptions round;
  std::vector<unsigned> cores;
};
BOOST_DESCRIBE_STRUCT(InstanceJob, (), (models, data, batch_size, seed, round, cores))

BOOST_DEFINE_ENUM_CLASS(InstanceStep, prepare, run, stop)

struct InstanceOrder {
  InstanceStep step = InstanceStep::prepare;
  std::uint64_t model = 0;  ///< its number, of `prepare`
};
BOOST_DESCRIBE_STRUCT(InstanceOrder, (), (step, model))

struct InstanceAnswer {
  std::vector<double> runs_us;  ///< to `stop`
};
BOOST_DESCRIBE_STRUCT(InstanceAnswer, (), (runs_us))

}  // namespace quantlens
