// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace quantlens {

/// How far the widest of some channels reaches over how far the median one does; nothing where all
/// are zero. `reaches`: of each channel the greatest absolute value, which one scale for all must
/// cover; those of 0 are left out.
std::optional<double> spread_of(std::vector<double> reaches);

}  // namespace quantlens
