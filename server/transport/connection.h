// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "server/http/request_reader.h"
#include "server/transport/channel.h"
#include "server/transport/limits.h"
#include "server/transport/service.h"

namespace quantlens::server {

/// One client: its requests are read, judged, answered one after the other. It lives as long as
/// something is waited for. All but the functions that say otherwise run on its executor.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  struct Parts {
    std::unique_ptr<Channel> channel;
    Strand executor;  ///< the channel's
    Peer peer;
    const Service& service;
    const Limits& limits;
    std::function<void(const Connection*)> gone;  ///< called when it is destroyed
  };
  explicit Connection(Parts parts);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From any thread:
  void start();
  void close();   ///< at once
  void finish();  ///< after the request under way
  bool is_overdue(Clock::time_point now) const { return now > deadline_.load(); }
  /// Since when it waits for the head of a request; the far future where one is under way.
  Clock::time_point idle_since() const { return idle_since_.load(); }

 private:
  void set_deadline(std::chrono::milliseconds from_now);
  void next_request();
  void step();
  void read_more();
  bool admit();
  BodyPlan planned();
  void begin_body();
  void feed();
  void answer();
  Response answered();
  void respond(Response response);
  void written(ErrorCode error);
  void stream();
  void write_event(std::string text);
  void watch_reader();
  void rest();
  void end();
  void drop();
  std::string_view unread() const;
  void log_answer();

  Parts parts_;
  std::atomic<Clock::time_point> deadline_, idle_since_;
  Clock::time_point body_since_{};
  std::uint64_t body_bytes_ = 0;  ///< of the body that have come
  std::optional<RequestReader> reader_;
  std::vector<char> chunk_;          ///< empty while idle
  std::size_t begin_ = 0, end_ = 0;  ///< of what in it is not read yet
  Response response_;
  std::string head_;
  bool keep_alive_ = false, is_writing_ = false, is_closed_ = false;
  std::atomic<bool> is_finishing_ = false;
  std::optional<boost::asio::steady_timer> heartbeat_;
};

}  // namespace quantlens::server
