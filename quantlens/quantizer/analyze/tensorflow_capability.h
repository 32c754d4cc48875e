// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {

/// What TensorFlow runs in int8 on a CPU by its kernels of oneDNN.
const Capabilities& tensorflow_capabilities();

}  // namespace quantlens
