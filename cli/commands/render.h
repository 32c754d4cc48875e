// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "cli/command.h"
#include "quantlens/record/run_records.h"
#include "quantlens/report/run_text.h"

namespace quantlens::cli {

/// Prints what a run has found, in the wanted format. Where people read, the lines `after` follow.
void print_run(const RunRecords& records, const TableOptions& options, const std::string& after,
               const RunView& view);
void print_run(const RunRecords& records, const TableOptions& options, const std::string& after);

/// "workload: ID  (FOLDER)" and a newline.
std::string workload_line(const RunRecords& records, const fs::path& folder);

/// Prints one JSON object on standard output.
void print_object(const boost::json::object& object);

}  // namespace quantlens::cli
