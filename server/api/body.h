// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/json.h"
#include "server/request.h"

namespace quantlens::server {

inline constexpr const char* kBody = "the request's body";

/// The body's JSON. Throws Errc::usage where an object has a key twice, of which two programs may
/// take another one each, and Errc::bad_input for what is no JSON.
json::Value json_of(const Request& request);

/// Throws Errc::usage where `asked` has a key that `read` has not: a slip of the pen would else
/// change what is asked for.
void check_all_is_read(const json::Value& asked, const json::Value& read);

/// The body as a described struct, which reads all that is in it. Throws Errc::usage,
/// Errc::bad_input.
template <class T>
T body_as(const Request& request) {
  const json::Value body = json_of(request);
  T asked = json::decode<T>(body, kBody);
  check_all_is_read(body, json::encode(asked));
  return asked;
}

}  // namespace quantlens::server
