// Sets of operators by their names in ONNX files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens::onnx {

/// ONNX Runtime's own operators.
inline constexpr const char* kMicrosoftDomain = "com.microsoft";

/// "" and "ai.onnx" are the same set of operators.
inline std::string canonical_domain(std::string_view domain) {
  return std::string(domain == "ai.onnx" ? "" : domain);
}

}  // namespace quantlens::onnx
