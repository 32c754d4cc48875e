// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/request.h"

namespace quantlens::server {

/// 16 random bytes in hexadecimal: as many as nobody guesses. Throws Errc::failed where the system
/// has none.
std::string make_token();

/// In a time that does not tell how much of them is equal.
bool is_same_secret(std::string_view given, std::string_view expected);

/// What a request shows to be let in: `Authorization: Bearer TOKEN`, the bare token in
/// Authorization as the predecessors' clients send it, else this cookie. Nothing where it has none.
std::optional<std::string_view> shown_secret(const Request& request, std::string_view cookie);

}  // namespace quantlens::server
