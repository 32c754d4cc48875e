// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe.hpp>

#include "quantlens/base/store.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What a run that gathers statistics and judges nothing is told by.
struct StatisticsSummary {
  std::string output;         ///< the file that holds them
  std::uint64_t samples = 0;  ///< that were looked at
  std::uint64_t values = 0;
};
BOOST_DESCRIBE_STRUCT(StatisticsSummary, (), (output, samples, values))

StatisticsSummary summary_of(const TapState& statistics, const fs::path& output);

}  // namespace quantlens
