// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/quant/params.h"
#include "quantlens/stats/histogram.h"

namespace quantlens::server {

/// A stretch of values between which so many lie, evenly as far as is known.
using Stretch = FloatHistogram::Bin;

/// What codes stand for: each the stretch of values that round to it. `is_signed`: the codes are
/// -128 to 127.
std::vector<Stretch> stretches_of(const CodeHistogram& codes, const QParams& params,
                                  bool is_signed);

/// The least and the greatest value of any.
struct Extent {
  double low = 0, high = 0;
};
std::optional<Extent> extent_of(std::span<const Stretch> one, std::span<const Stretch> other);

/// Edges of `bins` bins of equal width over the extent; one of no width gets some.
std::vector<double> edges_of(Extent extent, std::uint64_t bins);

/// Counts between edges, whole numbers whose sum is that of the stretches. REQUIRES: the stretches
/// are in ascending order and inside the edges.
std::vector<std::uint64_t> counts_between(std::span<const Stretch> stretches,
                                          std::span<const double> edges);

/// `count` values that are spread as the stretches are, ascending: the middle ones of equal parts.
/// Empty where there is nothing.
std::vector<double> spread_values(std::span<const Stretch> stretches, std::uint64_t count);

}  // namespace quantlens::server
