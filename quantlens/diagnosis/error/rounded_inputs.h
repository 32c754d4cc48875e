// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/pairing.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// Of a Run of the reference beside itself: local errors of ops that are as they were, but read
/// what the quantized model's codes make of the reference's values. That is what rounded inputs
/// alone do to each op; whatever more a quantized op is off by is its own.
TapSpec rounded_input_taps(const Pairing& pairing);

}  // namespace quantlens
