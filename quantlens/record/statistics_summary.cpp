// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/statistics_summary.h"

namespace quantlens {

StatisticsSummary summary_of(const TapState& statistics, const fs::path& output) {
  return {.output = output.string(),
          .samples = statistics.samples.size(),
          .values = statistics.values.size()};
}

}  // namespace quantlens
