// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "quantlens/diagnosis/rules/found_cause.h"

namespace quantlens {

/// The ops that have a counterpart whose result was not compared, as people see them: no figure
/// tells what error they make.
std::unordered_set<std::string> uncompared_ops(const Pairing& pairing);

/// These as causes that only a measured share can speak for, a few, in order of flow: what the two
/// models do otherwise there is seen in no row.
std::vector<FoundCause> uncompared_causes(const Pairing& pairing);

}  // namespace quantlens
