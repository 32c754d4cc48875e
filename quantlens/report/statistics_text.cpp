// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/statistics_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "quantlens/base/counted.h"

namespace quantlens {

std::string statistics_text(const StatisticsSummary& statistics) {
  return fmt::format("statistics: {}  ({} over {})\n", statistics.output,
                     counted(statistics.values, "value"), counted(statistics.samples, "sample"));
}

Table statistics_table(const StatisticsSummary& statistics) {
  return {.title = "Statistics",
          .columns = {{"File"}, {"Values"}, {"Samples"}},
          .rows = {{statistics.output, static_cast<std::int64_t>(statistics.values),
                    static_cast<std::int64_t>(statistics.samples)}}};
}

}  // namespace quantlens
