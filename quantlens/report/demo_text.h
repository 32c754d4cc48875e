// What `quantlens demo` tells of its two runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <boost/describe.hpp>

#include "quantlens/record/run_records.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// One of the runs, for programs.
struct DemoRun {
  std::string workload;
  AccuracyRecord accuracy;
};
BOOST_DESCRIBE_STRUCT(DemoRun, (), (workload, accuracy))

/// The run whose model is broken, with what its diagnosis puts first.
struct BrokenDemoRun : DemoRun {
  std::string worst_op;      ///< name of the op with the worst activation
  std::string worst_weight;  ///< likewise of the worst weight
};
BOOST_DESCRIBE_STRUCT(BrokenDemoRun, (DemoRun), (worst_op, worst_weight))

struct DemoSummary {
  BrokenDemoRun per_tensor;
  DemoRun per_channel;
};
BOOST_DESCRIBE_STRUCT(DemoSummary, (), (per_tensor, per_channel))

/// REQUIRES: both have an accuracy; the first has a diagnosis with activations and weights.
DemoSummary demo_summary(const RunRecords& per_tensor, const RunRecords& per_channel);

/// The same as a story, with all tables of the first run. REQUIRES: as demo_summary.
std::string demo_text(const RunRecords& per_tensor, const RunRecords& per_channel,
                      const RunView& view);

}  // namespace quantlens
