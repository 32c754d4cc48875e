// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/diagnosis/rules/evidence.h"

namespace quantlens {

/// Whether a finding's share is nothing: no remedy is worth a try for it.
bool takes_nothing(const Finding& finding);

/// "Add_11", or "6 ops together (3 MatMul, 2 Mul, 1 Add)": whose share it is.
std::string place_words(const Evidence& evidence, const Finding& finding);

/// "65 % (47 to 83, measured) of the error begins at Add_11: a square root reads it", also of
/// several ops; `may_be_none`: what may take none away, "would be gone with Add_11 in float".
/// Without an end. REQUIRES: it has a share.
std::string share_words(const Evidence& evidence, const Finding& finding, bool may_be_none);

}  // namespace quantlens
