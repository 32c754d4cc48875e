// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "quantlens/record/run_records.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// What a run found, as its verb tells it on a terminal, or in Markdown as run_markdown has it. By
/// records alone: of a stored run it is the same.
std::string run_text(const RunRecords& records, const RunView& view);

/// What its accuracies call the models: of an evaluation their files, or their paths where these
/// have one name; else they are what a quantizer made and what it made it of.
PairNames names_of_models(const RunRecords& records);

/// The one table of a run that goes to a file: of a benchmark its results, of a profile its nodes
/// or ops, of a search its models, of a diagnosis its activations, else accuracies, else what ops
/// are computed in; of a calibration its statistics. Absent where there is none.
std::optional<Table> run_table(const RunRecords& records, const RunView& view);

/// The same for programs: fields as docs/format.md has them, beside the run's id as "workload".
boost::json::object run_json(const RunRecords& records);

}  // namespace quantlens
