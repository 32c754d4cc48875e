// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// Sets `sqnr_drop_db` of each row: the SQNR of the worst value that the op reads, minus its own.
/// Where error begins it is large, behind that it is small, however bad the SQNR. SQNRs above 60
/// dB, which 8 bits do not reach, count as 60. A value without a row is looked through, up to those
/// it is computed from.
void add_sqnr_drops(const Graph& reference, std::vector<ActivationRow>& rows);

}  // namespace quantlens
