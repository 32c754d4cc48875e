// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/flow/session.h"
#include "quantlens/profiling/benchmark/rounds.h"
#include "quantlens/record/run_records.h"

namespace quantlens::flow {

struct BenchmarkOptions {
  fs::path model;
  std::optional<fs::path> other;           ///< is compared with it, over the same batches
  DataChoice data;                         ///< its batch size is not used
  std::vector<std::uint64_t> batch_sizes;  ///< none: the data's, else the model's own, else 1
  std::uint64_t rounds = 10;               ///< each loads the models anew
  RoundOptions round;  ///< its threads are those of each instance; 0: its cores, else the session's
  std::optional<unsigned> instances;           ///< processes at the same time, bound to cores
  std::optional<unsigned> cores_per_instance;  ///< absent: all cores shared out
  fs::path program = "/proc/self/exe";         ///< what instances are
};

/// The records of the run, its benchmark among them.
struct BenchmarkOutcome : RunRecords {
  fs::path folder;  ///< the workload's
};

/// Says before any file is read whether there are as many cores as the instances need. Throws
/// Errc::usage.
void check_options(const BenchmarkOptions& options);

/// Times one model, or two beside each other: runs in turn, or, with instances, rounds in turn.
/// Throws Errc::usage for a batch size that the model does not take, and for more cores than there
/// are.
BenchmarkOutcome benchmark(const BenchmarkOptions& options, const Session& session);

/// What a process that is one of the instances does; see profiling/benchmark/instance.h.
void serve_benchmark_instance(int socket);

}  // namespace quantlens::flow
