// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What the remedies of findings took away when they were tried, as a sentence of the verdict:
/// "Tried over all 64 samples, the remedy at conv1 takes 54 % (37 to 71) of the error away." Of
/// several, each tried with those before it, as many as surely take most. Empty where none was
/// tried.
std::string trial_words(const Diagnosis& diagnosis);

}  // namespace quantlens
