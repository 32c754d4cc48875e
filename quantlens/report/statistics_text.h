// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/statistics_summary.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// "statistics: FILE  (51 values over 100 samples)" and a newline.
std::string statistics_text(const StatisticsSummary& statistics);

/// **Statistics**: the file, and how many values and samples are in it.
Table statistics_table(const StatisticsSummary& statistics);

}  // namespace quantlens
