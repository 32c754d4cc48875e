// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/request.h"

namespace quantlens::server {

/// The two ends of a connection.
struct Peer {
  std::string address;
  std::string local_address;
  std::uint16_t local_port = 0;
};

/// What the transport asks of others. All are called by several threads at once.
struct Service {
  /// When the head is read: an answer that ends the request, or nothing. It may change the path.
  std::function<std::optional<Response>(Request&, const Peer&)> admit;
  Endpoint endpoint;
  /// A line of the log, without a newline; text of a client in it is printable.
  std::function<void(std::string_view)> log;
};

}  // namespace quantlens::server
