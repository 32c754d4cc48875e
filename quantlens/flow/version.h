// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace quantlens {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace quantlens
