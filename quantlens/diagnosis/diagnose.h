// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What people call a sample.
using SampleNames = std::function<std::string(std::uint64_t sample)>;

/// Tables from what the taps gathered, and the weights of both models compared. Suspect pairs have
/// no row: what they would show is no error of the model.
Diagnosis diagnose(const PairedModels& models, const TapState& state, const SampleNames& names);

}  // namespace quantlens
