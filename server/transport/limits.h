// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quantlens::server {

/// What one client can take of the server. Times are checked every kTick, so they may last one
/// longer.
struct Limits {
  std::size_t head_bytes = 16 << 10;
  std::size_t connections = 2000;  ///< one more, and the one that is idle for longest is closed
  std::chrono::milliseconds handshake{10'000};
  std::chrono::milliseconds head{10'000};   ///< from its first byte to its last
  std::chrono::milliseconds body{30'000};   ///< and what its size takes at least_bytes_per_second
  std::chrono::milliseconds write{30'000};  ///< likewise, of an answer
  std::chrono::milliseconds idle{75'000};   ///< between requests
  std::chrono::milliseconds linger{2'000};  ///< until a refused client has read why
  std::chrono::milliseconds stop{5'000};    ///< for what is under way when the server is stopped
  std::chrono::milliseconds heartbeat{15'000};  ///< between events, so that dead readers show
  std::uint64_t least_bytes_per_second = 64 << 10;

  std::chrono::milliseconds time_for(std::chrono::milliseconds least, std::uint64_t bytes) const {
    return least + std::chrono::milliseconds(bytes * 1000 / least_bytes_per_second);
  }
};

inline constexpr std::chrono::milliseconds kTick{250};

}  // namespace quantlens::server
