// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/report/kept_run.h"
#include "server/api/context.h"

namespace quantlens::server {

/// A list of a record that is in a file of its own, and so is empty in `result`.
struct ListElsewhere {
  std::string record;  ///< "diagnosis"
  std::string list;    ///< "activations"
  std::uint64_t rows = 0;
};
BOOST_DESCRIBE_STRUCT(ListElsewhere, (), (record, list, rows))

/// A run as `workloads show` tells it, with what people say of it.
struct ShownRun : KeptRun, RunLabels {
  std::vector<ListElsewhere> lists;
};
BOOST_DESCRIBE_STRUCT(ShownRun, (KeptRun, RunLabels), (lists))

/// Throws Errc::unsupported for a newer format.
ShownRun shown_run(Context& context, const Run& run);

/// Of all files that it is made of.
std::string state_of_folder(const Context& context, const Run& run);

}  // namespace quantlens::server
