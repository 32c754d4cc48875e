// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "quantlens/diagnosis/verdict/found_cause.h"

namespace quantlens {

/// Ids of the ops that have a counterpart whose result was not compared: no figure tells what error
/// they make.
std::unordered_set<std::string> uncompared_ops(const Pairing& pairing);

/// Those without a row as causes that only a measured share can speak for, a few, in order of flow:
/// what the two models do otherwise there is seen nowhere.
std::vector<FoundCause> uncompared_causes(const Pairing& pairing, const Diagnosis& diagnosis);

}  // namespace quantlens
