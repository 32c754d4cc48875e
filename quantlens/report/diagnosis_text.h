// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/report/tables.h"

namespace quantlens {

/// Both tables of a diagnosis, what stands out in them, what could not be paired, and the findings.
std::string diagnosis_text(const Diagnosis& diagnosis, ActivationOrder order,
                           const TextOptions& options);

}  // namespace quantlens
