// SPDX-License-Identifier: Apache-2.0
#include "server/transport/channel.h"

#include <array>
#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

namespace quantlens::server {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using Room = std::array<char, 4096>;

/// Reads and forgets until the other side closes, so much at most.
void discard(tcp::socket& socket, const std::shared_ptr<Room>& room, std::size_t most,
             Channel::Done done) {
  socket.async_read_some(asio::buffer(*room), [&socket, room, most, done = std::move(done)](
                                                  ErrorCode error, std::size_t count) {
    if (error || count >= most) return done(error, 0);
    discard(socket, room, most - count, done);
  });
}

void end_socket(tcp::socket& socket, Channel::Done done) {
  constexpr std::size_t kMostDiscarded = 4 << 20;
  ErrorCode ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
  discard(socket, std::make_shared<Room>(), kMostDiscarded, std::move(done));
}

void close_socket(tcp::socket& socket) {
  ErrorCode ignored;
  socket.close(ignored);
}

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(tcp::socket socket) : socket_(std::move(socket)) {}
  void handshake(Done done) override {
    socket_.async_wait(tcp::socket::wait_write,
                       [done = std::move(done)](ErrorCode error) { done(error, 0); });
  }
  void read_some(asio::mutable_buffer into, Done done) override {
    socket_.async_read_some(asio::mutable_buffers_1(into), std::move(done));
  }
  void write(std::vector<asio::const_buffer> bytes, Done done) override {
    asio::async_write(socket_, bytes, std::move(done));
  }
  void end(Done done) override { end_socket(socket_, std::move(done)); }
  void close() override { close_socket(socket_); }

 private:
  tcp::socket socket_;
};

class TlsChannel final : public Channel {
 public:
  TlsChannel(tcp::socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}
  void handshake(Done done) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [done = std::move(done)](ErrorCode error) { done(error, 0); });
  }
  void read_some(asio::mutable_buffer into, Done done) override {
    stream_.async_read_some(asio::mutable_buffers_1(into), std::move(done));
  }
  void write(std::vector<asio::const_buffer> bytes, Done done) override {
    asio::async_write(stream_, bytes, std::move(done));
  }
  void end(Done done) override {
    stream_.async_shutdown(
        [this, done = std::move(done)](ErrorCode) { end_socket(stream_.next_layer(), done); });
  }
  void close() override { close_socket(stream_.next_layer()); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Channel> make_plain_channel(tcp::socket socket) {
  return std::make_unique<PlainChannel>(std::move(socket));
}

std::unique_ptr<Channel> make_tls_channel(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsChannel>(std::move(socket), context);
}

}  // namespace quantlens::server
