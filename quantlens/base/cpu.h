// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace quantlens {

/// As its maker calls it; "unknown" where the system does not say.
std::string cpu_name();

/// Whether this CPU multiplies 8-bit integers without saturating at 16 bits.
bool cpu_has_vnni();

}  // namespace quantlens
