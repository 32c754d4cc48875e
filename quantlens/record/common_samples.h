// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "quantlens/stats/samples.h"

namespace quantlens {

/// The first sample that is in both; absent where none is.
std::optional<std::uint64_t> first_common(const SampleSet& a, const SampleSet& b);

}  // namespace quantlens
