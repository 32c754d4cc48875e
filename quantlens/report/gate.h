// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe.hpp>

#include "quantlens/record/run_records.h"

namespace quantlens {

/// Whether a run keeps as much of its signal as it must (`--fail-below`).
struct GateVerdict {
  bool reached = true;
  std::uint64_t below = 0;  ///< activations with less
  double short_of_db = 0;   ///< what the worst of them lacks; inf where it has no finite figure
  std::string because;      ///< a sentence; empty where it is reached
};
BOOST_DESCRIBE_STRUCT(GateVerdict, (), (reached, below, short_of_db, because))

/// Holds the activations of a run's diagnosis against `least_db` of SQNR. One that became NaN or
/// infinite anywhere misses it whatever its finite values are, and so does one without a figure, an
/// output that was not compared, and a diagnosis that compared nothing. Throws Errc::failed for a
/// run that diagnosed nothing.
GateVerdict sqnr_gate(const RunRecords& records, double least_db);

}  // namespace quantlens
