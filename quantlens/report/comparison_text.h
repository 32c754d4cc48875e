// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "quantlens/record/comparison.h"
#include "quantlens/report/all_tables.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// What is different in B, the verdict first: caveats, accuracies, findings, ops that are worse and
/// better, and what was done otherwise (recipe, plan) and how long it takes.
std::string comparison_text(const Comparison& comparison, const RunView& view);

/// The same as a comment for a pull request, with as many rows of each table as `view` has.
std::string comparison_markdown(const Comparison& comparison, const RunView& view = {});

/// The tables of both, those that have rows, in the order in which they are read.
std::vector<NamedTable> comparison_tables(const Comparison& comparison);

/// The ops of both runs, one row for each activation; for files.
Table compared_ops_table(const Comparison& comparison);

/// As programs get it: the fields of the record, with the sentences as `verdict` and `cautions`,
/// and `because` of each finding.
boost::json::object comparison_json(const Comparison& comparison);

}  // namespace quantlens
