// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/report/run_view.h"

namespace quantlens {

/// Both tables of a diagnosis, what stands out in them, what could not be paired, and the findings.
std::string diagnosis_text(const Diagnosis& diagnosis, const RunView& view);

}  // namespace quantlens
