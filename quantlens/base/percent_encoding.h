// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens {

/// Letters, digits, '-', '_' and '.': what may stand in addresses and names of files as it is.
bool is_plain_in_addresses(char c);

/// All other bytes as RFC 3986 has them, %2F, but for those in `also_plain`.
std::string percent_encoded(std::string_view text, std::string_view also_plain = {});

}  // namespace quantlens
