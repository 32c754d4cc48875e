// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

namespace quantlens::server {

using ErrorCode = boost::system::error_code;

/// One accepted socket, plain or under TLS. Called, and calls back, on the socket's executor; at
/// most one read and one write at a time.
class Channel {
 public:
  using Done = std::function<void(ErrorCode, std::size_t)>;

  virtual ~Channel() = default;
  virtual void handshake(Done done) = 0;
  virtual void read_some(boost::asio::mutable_buffer into, Done done) = 0;
  /// All of them. REQUIRES: the bytes stay until it is done.
  virtual void write(std::vector<boost::asio::const_buffer> bytes, Done done) = 0;
  /// Says that no more is written, and throws away what comes until the other side says so, too:
  /// closing at once would take back what the client has not read yet.
  virtual void end(Done done) = 0;
  virtual void close() = 0;  ///< what is waited for is done with an error
};

std::unique_ptr<Channel> make_plain_channel(boost::asio::ip::tcp::socket socket);
/// REQUIRES: `context` outlives it.
std::unique_ptr<Channel> make_tls_channel(boost::asio::ip::tcp::socket socket,
                                          boost::asio::ssl::context& context);

}  // namespace quantlens::server
