// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "quantlens/record/accuracy_summary.h"
#include "quantlens/record/workload.h"

namespace quantlens {

/// What a list of runs says of one.
struct ListedRun : Workload {
  std::string model;  ///< name of the reference's file, else of the first model's; empty: none
  std::optional<AccuracySummary> accuracy;  ///< where it was measured and can be read
};
BOOST_DESCRIBE_STRUCT(ListedRun, (Workload), (model, accuracy))

/// Of a run and its accuracy, if it has one.
ListedRun listed_run(const Workload& run, const std::optional<AccuracySummary>& accuracy);

}  // namespace quantlens
