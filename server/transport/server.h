// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/tls/certificate.h"
#include "server/transport/limits.h"
#include "server/transport/service.h"

namespace quantlens::server {

struct ListenOptions {
  std::string address = "127.0.0.1";       ///< of IP, as numbers
  std::vector<std::uint16_t> ports{5000};  ///< the first that is free; 0: any
  unsigned threads = 2;                    ///< all that the server keeps busy
  std::optional<Certificate> certificate;  ///< absent: without TLS
};

/// Listens as soon as it is made, answers while it runs.
class Server {
 public:
  /// Throws Errc::failed where no port is free ("Port 5000 is already in use ..."), Errc::usage
  /// where the address is none of this machine's.
  Server(Service service, const Limits& limits, const ListenOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// From now on these signals stop it; a second one stops it without waiting for requests.
  void stop_on(const std::vector<int>& signals);
  /// Until it is stopped: then no more are accepted, and requests under way are finished for a
  /// while.
  void run();
  void stop();  ///< from any thread

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace quantlens::server
