// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "quantlens/stats/bytes.h"

namespace quantlens {

// What states of metrics (Metric::state) are written with, beside stats/bytes.h; not for other
// modules.

void append_i64(std::string& out, std::int64_t value);
std::int64_t take_i64(std::string_view& in);

/// A varint that counts what models answered: no larger than what thousands of parts can add up.
std::uint64_t take_tally(std::string_view& in);

/// Calls `take` with the number of each class of a state, in ascending order; it takes what is
/// behind that number, at least `least_bytes`.
void take_classes(std::string_view& in, std::size_t least_bytes,
                  const std::function<void(std::int64_t number)>& take);

/// Throws Errc::bad_input where something is left of a state.
void refuse_rest(std::string_view in);

}  // namespace quantlens
