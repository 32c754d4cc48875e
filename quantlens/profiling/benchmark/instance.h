// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/profiling/benchmark/instance_messages.h"
#include "quantlens/profiling/benchmark/rounds.h"

namespace quantlens {

/// Models that are ready to be timed, and the files behind them.
struct PreparedModels {
  std::vector<std::unique_ptr<Model>> models;
  std::vector<TimedModel> timed;
};

/// What a process that is one instance of a benchmark does: binds itself to its cores, has
/// `prepare` read models and data, and times them when it is told to, until the other side of the
/// socket closes it or is gone. Throws Errc::usage where `socket` is none.
void serve_instance(int socket, const std::function<PreparedModels(const InstanceJob&)>& prepare);

}  // namespace quantlens
