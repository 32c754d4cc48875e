// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace quantlens {

/// 95 % interval of a rate (Wilson, 1927, score interval without continuity correction), within
/// [0, 1]. Without a sample nothing is known: [0, 1]. REQUIRES: hits <= samples.
std::array<double, 2> rate_interval(std::uint64_t hits, std::uint64_t samples);

/// 95 % interval of the paired difference of two rates, second minus first: `gained` samples right
/// only in the second, `lost` right only in the first (Newcombe, 1998, method 10), within [-1, 1].
std::array<double, 2> paired_rate_interval(std::uint64_t both, std::uint64_t gained,
                                           std::uint64_t lost, std::uint64_t neither);

/// How far a figure may still move where no sample has moved it: by the rule of three, 3 of n
/// samples may do so, each by `most` / n. Without a sample: by 3 times `most`.
double rule_of_three(double most, std::uint64_t samples);

}  // namespace quantlens
