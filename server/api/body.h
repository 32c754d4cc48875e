// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/json.h"
#include "server/request.h"

namespace quantlens::server {

inline constexpr const char* kBody = "the request's body";

/// Throws Errc::usage where `asked` has a key that `read` has not: a slip of the pen would else
/// change what is asked for.
void check_all_is_read(const json::Value& asked, const json::Value& read);

/// The body as a described struct, which reads all that is in it. Throws Errc::usage,
/// Errc::bad_input.
template <class T>
T body_as(const Request& request) {
  const json::Value body = json::parse(request.body, kBody);
  T asked = json::decode<T>(body, kBody);
  check_all_is_read(body, json::encode(asked));
  return asked;
}

}  // namespace quantlens::server
