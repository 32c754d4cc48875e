// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"
#include "server/compact.h"
#include "server/request.h"

namespace quantlens::server {

/// An answer before it is made: what it will be made of tells whether a client, or the cache, has
/// it already, and then nothing is read.
struct Answer {
  /// Of what it is made, so that another state is another text (`state_of`); empty: it is made
  /// anew each time, and has no ETag.
  std::string state;
  std::function<std::string()> make;
  std::string type = std::string(kJson);
  Pairs headers;
  std::optional<Response> ready;  ///< instead of all the above
};

/// Which file it is now: its number, size and time of change; "-" where there is none. It is not
/// read. Throws Errc::bad_input for what is no regular file, as a symbolic link, which quantlens
/// never makes.
std::string state_of(const fs::path& file);
std::string state_of(const std::vector<fs::path>& files);

/// One that is there already.
Answer at_once(Response response);
Answer json_at_once(const json::Value& value);

}  // namespace quantlens::server
