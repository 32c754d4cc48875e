// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {

/// What ONNX Runtime runs in int8 on CPUs (files in QDQ form).
const Capabilities& onnxruntime_capabilities();

}  // namespace quantlens
