// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/statistics_text.h"

#include <fmt/format.h>

#include "quantlens/base/counted.h"

namespace quantlens {

std::string statistics_text(const StatisticsSummary& statistics) {
  return fmt::format("statistics: {}  ({} over {})\n", statistics.output,
                     counted(statistics.values, "value"), counted(statistics.samples, "sample"));
}

}  // namespace quantlens
