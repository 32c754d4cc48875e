// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "quantlens/diagnosis/rules/evidence.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What is lost, where it begins and why, as one paragraph. `findings`: worst first.
Statements verdict(const Evidence& evidence, std::span<const Finding> findings);

}  // namespace quantlens
