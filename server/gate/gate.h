// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/gate/failures.h"
#include "server/request.h"
#include "server/transport/service.h"

namespace quantlens::server {

struct GateOptions {
  std::string token;
  std::string once;                ///< opens `/` once, for a browser that is started; may be empty
  std::vector<std::string> names;  ///< hosts that are this server, in lower case
  std::string prefix;              ///< "" or "/a/b": all paths begin so
  bool is_secure = true;
};

/// Who may ask what: judged by the head alone, before a byte of a body is read.
/// Called by several threads at once.
class Gate {
 public:
  explicit Gate(GateOptions options);

  /// The answer where the request ends here, else nothing. Takes the prefix off the path.
  std::optional<Response> check(Request& request, const Peer& peer);

 private:
  std::optional<Response> check_prefix(Request& request) const;
  std::optional<Response> exchange(const Request& request, const Peer& peer);
  bool is_once(std::string_view given);
  Response refused(const Peer& peer, bool is_guess);

  GateOptions options_;
  Failures failures_;
  std::mutex mutex_;  ///< of options_.once
};

/// What wrong tokens are told; the predecessors' words.
inline constexpr std::string_view kWrongToken =
    "Invalid token, please use the URL displayed by the server on startup";

}  // namespace quantlens::server
