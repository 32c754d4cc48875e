// SPDX-License-Identifier: Apache-2.0
#include "server/transport/server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "server/tls/context.h"
#include "server/transport/connections.h"

namespace quantlens::server {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::size_t kFilesBeside = 64;  // records being read, the runtime's own, jobs

/// As many files may be open as there may be connections, if the system lets us; how many
/// connections that makes.
std::size_t raise_file_limit(std::size_t connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t wanted = connections + kFilesBeside;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  const std::size_t room = limit.rlim_cur > kFilesBeside ? limit.rlim_cur - kFilesBeside : 1;
  return std::min(connections, room);
}

asio::ip::address parse_address(const std::string& text) {
  ErrorCode error;
  auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (!error) return address;
  throw Error(Errc::usage, fmt::format("'{}' is no address of this machine; give --address one in "
                                       "numbers, such as 127.0.0.1",
                                       printable(text)));
}

/// Programs that we start, such as a browser, must not keep it open when we are gone; Asio leaves
/// that to us.
void keep_from_children(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

/// False where the port is taken.
bool listen(tcp::acceptor& acceptor, const tcp::endpoint& at) {
  ErrorCode error;
  acceptor.open(at.protocol(), error);
  if (!error) keep_from_children(acceptor.native_handle());
  // A port whose last server just ended may be used; one that is listened on may not.
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return true;
  ErrorCode ignored;
  acceptor.close(ignored);
  if (error == asio::error::address_in_use) return false;
  throw Error(error == boost::system::errc::address_not_available ? Errc::usage : Errc::failed,
              fmt::format("{} port {}: cannot listen: {}; choose others with --address and --port",
                          at.address().to_string(), at.port(), error.message()));
}

std::string text_of(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

std::optional<Peer> peer_of(const tcp::socket& socket) {
  ErrorCode error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return std::nullopt;
  const auto local = socket.local_endpoint(error);
  if (error) return std::nullopt;
  return Peer{.address = text_of(remote.address()),
              .local_address = text_of(local.address()),
              .local_port = local.port()};
}

}  // namespace

struct Server::Parts {
  Parts(Service of, const Limits& limited, const ListenOptions& options)
      : service(std::move(of)),
        limits(limited),
        threads(std::max(1U, options.threads)),
        io(static_cast<int>(threads)) {
    if (options.certificate) tls = make_tls(*options.certificate);
    const auto address = parse_address(options.address);
    for (const std::uint16_t each : options.ports) {
      if (listen(acceptor, {address, each})) break;
    }
    if (!acceptor.is_open()) {
      throw Error(Errc::failed,
                  fmt::format("Port {} is already in use; stop what uses it or choose another one "
                              "with --port",
                              options.ports.front()));
    }
    port = acceptor.local_endpoint().port();
  }

  void accept();
  void accepted(ErrorCode error, tcp::socket socket, const Connection::Strand& strand);
  void tick();
  void work();
  void begin_stop();
  void give_memory_back();

  Service service;
  Limits limits;
  unsigned threads;
  std::unique_ptr<asio::ssl::context> tls;
  Connections connections;  ///< outlives `io`, whose handlers own connections
  asio::io_context io;
  /// What decides about connections runs here, one at a time.
  Connection::Strand control{io.get_executor()};
  tcp::acceptor acceptor{control};
  asio::steady_timer timer{control};
  asio::signal_set signals{control};
  std::uint16_t port = 0;
  std::size_t most = 0, peak = 0;
  bool is_accepting = false;
  std::optional<Connection::Clock::time_point> stop_by;
};

void Server::Parts::accept() {
  is_accepting = true;
  const Connection::Strand strand = asio::make_strand(io);
  acceptor.async_accept(strand, [this, strand](ErrorCode error, tcp::socket socket) {
    is_accepting = false;
    if (stop_by) return;
    accepted(error, std::move(socket), strand);
    if (!error) accept();  // else the next tick does: out of files, it would fail at once again
  });
}

void Server::Parts::accepted(ErrorCode error, tcp::socket socket,
                             const Connection::Strand& strand) {
  if (error) {
    connections.close_oldest_idle();
    return;
  }
  // Without an idle one to close for it, the new one is not served.
  if (connections.size() >= most && !connections.close_oldest_idle()) return;
  auto peer = peer_of(socket);
  if (!peer) return;
  keep_from_children(socket.native_handle());
  socket.set_option(tcp::no_delay(true), error);
  const auto connection = std::make_shared<Connection>(
      Connection::Parts{.channel = tls ? make_tls_channel(std::move(socket), *tls)
                                       : make_plain_channel(std::move(socket)),
                        .executor = strand,
                        .peer = *std::move(peer),
                        .service = service,
                        .limits = limits,
                        .gone = [this](const Connection* one) { connections.remove(one); }});
  connections.add(connection);
  connection->start();
}

void Server::Parts::tick() {
  const auto now = Connection::Clock::now();
  connections.close_overdue(now);
  give_memory_back();
  if (stop_by) {
    if (connections.size() == 0) {
      signals.cancel();
      return;  // nothing is waited for any more: `run` returns
    }
    if (now > *stop_by) connections.close_all();
    if (now > *stop_by + std::chrono::seconds(1)) return io.stop();  // a handler that never ends
  } else if (!is_accepting) {
    accept();
  }
  timer.expires_after(stop_by ? kTick / 25 : kTick);
  timer.async_wait([this](ErrorCode error) {
    if (!error) tick();
  });
}

/// What a crowd of connections took, once most of it has left: the allocator alone would keep it.
void Server::Parts::give_memory_back() {
  constexpr std::size_t kCrowd = 64;
  const std::size_t now = connections.size();
  peak = std::max(peak, now);
  if (peak < kCrowd || now > peak / 2) return;
  peak = now;
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void Server::Parts::begin_stop() {
  if (stop_by) {
    stop_by = Connection::Clock::now();  // asked twice
    return;
  }
  stop_by = Connection::Clock::now() + limits.stop;
  ErrorCode ignored;
  acceptor.close(ignored);
  connections.finish_all();
  timer.cancel();
  tick();
}

void Server::Parts::work() {
  for (;;) {
    try {
      io.run();
      return;
    } catch (const std::exception& error) {  // of one connection, which is gone by it
      service.log(printable(fmt::format("a connection failed: {}", error.what())));
    }
  }
}

Server::Server(Service service, const Limits& limits, const ListenOptions& options)
    : parts_(std::make_unique<Parts>(std::move(service), limits, options)) {}

Server::~Server() = default;

std::uint16_t Server::port() const {
  return parts_->port;
}

void Server::stop_on(const std::vector<int>& signals) {
  for (const int signal : signals) parts_->signals.add(signal);
  const auto wait = [this](const auto& again) -> void {
    parts_->signals.async_wait([this, again](ErrorCode error, int) {
      if (error) return;
      again(again);  // before, so that the end of all cancels it
      parts_->begin_stop();
    });
  };
  wait(wait);
}

void Server::run() {
  parts_->most = raise_file_limit(parts_->limits.connections);
  asio::post(parts_->control, [this] { parts_->tick(); });
  std::vector<std::thread> others;
  for (unsigned i = 1; i < parts_->threads; ++i) others.emplace_back([this] { parts_->work(); });
  parts_->work();
  for (std::thread& each : others) each.join();
}

void Server::stop() {
  asio::post(parts_->control, [this] { parts_->begin_stop(); });
}

}  // namespace quantlens::server
