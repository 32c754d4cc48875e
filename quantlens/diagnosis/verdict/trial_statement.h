// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What the remedies of findings took away when they were tried, for the end of the verdict: of
/// several, each tried with those before it, as many as surely take most; and what shares were of,
/// where one remedy took away what its share leaves no room for. Empty where none was tried.
Statements trial_statements(const Diagnosis& diagnosis);

}  // namespace quantlens
