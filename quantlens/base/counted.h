// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quantlens {

/// "1 op", "6 ops": for nouns whose plural ends in s alone.
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace quantlens
