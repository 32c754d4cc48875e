// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "quantlens/diagnosis/rules/evidence.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// One paragraph in plain words: what is lost, where it begins, what to change. `findings`: worst
/// first.
std::string verdict(const Evidence& evidence, std::span<const Finding> findings);

}  // namespace quantlens
