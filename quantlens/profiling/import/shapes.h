// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quantlens::imports {

/// ONNX Runtime's `[{"float":[1,64]},{"int64":[]}]` as {"float32[1,64]", "int64[]"}. Ends at what
/// it does not understand and after 64 tensors; a missing one ({}) is an empty text.
std::vector<std::string> types_and_shapes(std::string_view json);

}  // namespace quantlens::imports
