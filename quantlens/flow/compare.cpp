// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/compare.h"

#include "quantlens/compare/compare.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::flow {
namespace {

RunToCompare ended_run(const Store& store, const Workspace& workspace, const std::string& name,
                       Cores& cores) {
  const Workload run = workspace.find(name);
  check_ended(run.id, run.state, "compare");
  return read_run_to_compare(store, workspace, run.id, &cores);
}

}  // namespace

Comparison compare(const Store& store, const Workspace& workspace, const std::string& a,
                   const std::string& b, Progress& progress) {
  Cores cores;
  const ProgressStep step(progress, "compare", 3);
  const RunToCompare in_a = ended_run(store, workspace, a, cores);
  progress.advance(1);
  const RunToCompare in_b = ended_run(store, workspace, b, cores);
  progress.advance(1);
  Comparison comparison = quantlens::compare(in_a, in_b);
  for (const RunToCompare* run : {&in_a, &in_b})
    check_still_there(store, workspace, run->records.run.id);
  progress.advance(1);
  return comparison;
}

}  // namespace quantlens::flow
