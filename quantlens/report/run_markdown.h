// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/run_records.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// What a run found in GitHub's Markdown, by records alone: the verdict, then all that run_text
/// tells, in tables with as many rows as `view` has. Names are shown as they stand. For a short
/// text that a pull request holds: summary_markdown. REQUIRES: `view` is of Markdown.
std::string run_markdown(const RunRecords& records, const RunView& view);

}  // namespace quantlens
