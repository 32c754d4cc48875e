// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/frontend.h"

namespace quantlens::onnx {

/// frontend::upgrade for ONNX. Converts models of opset 6 to 12 to opset 13, the first with a scale
/// for each channel, or not at all where a node has no equal there; and gives nodes whose name
/// another has a name of their own: ONNX Runtime refuses such files. REQUIRES: `model` came from
/// `read`.
frontend::Upgraded upgrade(Model model);

}  // namespace quantlens::onnx
