// SPDX-License-Identifier: Apache-2.0
#include "server/transport/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "server/http/response_text.h"

namespace quantlens::server {

namespace asio = boost::asio;
using State = RequestReader::State;

namespace {

constexpr std::size_t kHeadChunk = 2048;  // most heads fit
constexpr std::size_t kBodyChunk = 64 << 10;
constexpr std::size_t kJoined = 16 << 10;  // bodies so short go into one record with their head
constexpr auto kNever = Connection::Clock::time_point::max();

}  // namespace

Connection::Connection(Parts parts)
    : parts_(std::move(parts)), deadline_(kNever), idle_since_(kNever) {}

Connection::~Connection() {
  if (response_.events) response_.events->on_change(nullptr);
  parts_.gone(this);
}

void Connection::start() {
  set_deadline(parts_.limits.handshake);
  idle_since_ = Clock::now();
  asio::dispatch(parts_.executor, [self = shared_from_this()] {
    self->parts_.channel->handshake([self](ErrorCode error, std::size_t) {
      if (error) return self->drop();
      self->next_request();
    });
  });
}

void Connection::close() {
  asio::post(parts_.executor, [self = shared_from_this()] { self->drop(); });
}

void Connection::finish() {
  is_finishing_ = true;  // seen by what runs now, such as a handler
  asio::post(parts_.executor, [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (self->response_.events) self->response_.events->end();
    if (self->idle_since_.load() != kNever) self->drop();
  });
}

void Connection::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = Clock::now() + from_now;
}

void Connection::drop() {
  is_closed_ = true;
  if (heartbeat_) heartbeat_->cancel();
  parts_.channel->close();
}

std::string_view Connection::unread() const {
  return {chunk_.data() + begin_, end_ - begin_};
}

void Connection::next_request() {
  if (is_finishing_ || is_closed_) return drop();
  response_ = {};
  head_ = {};
  reader_.emplace(parts_.limits.head_bytes);
  idle_since_ = Clock::now();
  set_deadline(unread().empty() ? parts_.limits.idle : parts_.limits.head);
  if (unread().empty()) {
    chunk_ = {};
    begin_ = end_ = 0;
  }
  step();
}

/// Goes on with what is there until something must be waited for.
void Connection::step() {
  for (;;) {
    switch (reader_->state()) {
      case State::start:
      case State::head:
      case State::body:
        if (unread().empty()) return read_more();
        feed();
        break;
      case State::head_read:
        if (!admit()) return;
        break;
      case State::done:
        return answer();
      case State::refused:
        keep_alive_ = false;
        return respond(reader_->refusal());
    }
  }
}

/// A body has more time the more of it has come: to announce a long one brings none.
void Connection::feed() {
  const bool is_body = reader_->state() == State::body;
  const std::size_t count = reader_->feed(unread());
  begin_ += count;
  if (!is_body) return;
  body_bytes_ += count;
  deadline_ = body_since_ + parts_.limits.time_for(parts_.limits.body, body_bytes_);
}

void Connection::read_more() {
  const std::size_t size = reader_->state() == State::body ? kBodyChunk : kHeadChunk;
  if (chunk_.size() != size) chunk_ = std::vector<char>(size);
  begin_ = end_ = 0;
  parts_.channel->read_some(asio::buffer(chunk_),
                            [self = shared_from_this()](ErrorCode error, std::size_t count) {
                              if (error || self->is_closed_) return self->drop();
                              self->end_ = count;
                              if (self->reader_->state() == State::start)
                                self->set_deadline(self->parts_.limits.head);
                              self->step();
                            });
}

/// False where it goes on later, or has answered.
bool Connection::admit() {
  idle_since_ = kNever;
  keep_alive_ = reader_->keep_alive() && !is_finishing_;
  Request& request = reader_->request();
  std::optional<Response> refusal;
  try {
    refusal = parts_.service.admit(request, parts_.peer);
  } catch (...) {
    refusal = error_response();
  }
  if (refusal) {
    if (reader_->has_body()) keep_alive_ = false;  // it is not read
    respond(*std::move(refusal));
    return false;
  }
  begin_body();
  return !is_writing_;
}

BodyPlan Connection::planned() {
  if (!reader_->has_body()) return {};
  try {
    return parts_.service.endpoint.plan_body(reader_->request());
  } catch (...) {
    return {.most_bytes = 0, .file = {}, .refusal = error_response()};
  }
}

void Connection::begin_body() {
  BodyPlan plan = planned();
  if (plan.refusal) {
    keep_alive_ = false;  // the body is not read
    return respond(*std::move(plan.refusal));
  }
  reader_->read_body(plan.most_bytes, std::move(plan.file));
  if (reader_->state() != State::body) return;
  body_since_ = Clock::now();
  body_bytes_ = 0;
  set_deadline(parts_.limits.body);
  if (!reader_->expects_continue() || !unread().empty()) return;
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  is_writing_ = true;
  parts_.channel->write({asio::buffer(head_)},
                        [self = shared_from_this()](ErrorCode error, std::size_t) {
                          self->is_writing_ = false;
                          if (error || self->is_closed_) return self->drop();
                          self->step();
                        });
}

Response Connection::answered() {
  try {
    return parts_.service.endpoint.answer(reader_->request());
  } catch (const std::exception& error) {
    parts_.service.log(printable(fmt::format("{} {} failed: {}", reader_->request().method,
                                             reader_->request().path, error.what())));
    return error_response();
  }
}

void Connection::answer() {
  Response response = answered();
  reader_->request().file.reset();  // what the handler has not kept goes before the client knows
  respond(std::move(response));
}

void Connection::respond(Response response) {
  response_ = std::move(response);
  const Request& request = reader_->request();
  if (response_.events) keep_alive_ = false;  // they end with the connection
  if (is_finishing_) keep_alive_ = false;
  head_ = head_text(response_, {.keep_alive = keep_alive_,
                                .is_api = request.path.starts_with("/api/"),
                                .now = std::chrono::system_clock::now()});
  const bool has_body =
      request.method != "HEAD" && response_.status != 204 && response_.status != 304;
  const std::string_view body = has_body ? bytes_of(response_).value_or("") : std::string_view();
  const std::size_t size = body.size();
  if (size <= kJoined) head_ += body;
  std::vector<asio::const_buffer> bytes{asio::buffer(head_)};
  if (size > kJoined) bytes.push_back(asio::buffer(body));
  log_answer();
  set_deadline(parts_.limits.time_for(parts_.limits.write, size));
  is_writing_ = true;
  parts_.channel->write(std::move(bytes),
                        [self = shared_from_this()](ErrorCode error, std::size_t) {
                          self->is_writing_ = false;
                          self->written(error);
                        });
}

void Connection::log_answer() {
  const Request& request = reader_->request();
  parts_.service.log(printable(
      fmt::format("{} {} {} {}", parts_.peer.address, request.method.empty() ? "-" : request.method,
                  request.path.empty() ? "-" : request.path, response_.status)));
}

void Connection::written(ErrorCode error) {
  if (error || is_closed_) return drop();
  if (response_.events && reader_->request().method != "HEAD") return stream();
  if (keep_alive_) return next_request();
  end();
}

void Connection::end() {
  set_deadline(parts_.limits.linger);
  parts_.channel->end([self = shared_from_this()](ErrorCode, std::size_t) { self->drop(); });
}

/// From here on events are written as they come.
void Connection::stream() {
  deadline_ = kNever;
  chunk_.resize(kHeadChunk);
  heartbeat_.emplace(parts_.executor);
  watch_reader();
  // Called with the subscription locked, so it does no more than ask to be called later.
  response_.events->on_change([weak = weak_from_this(), executor = parts_.executor] {
    asio::post(executor, [weak] {
      if (const auto self = weak.lock()) self->rest();
    });
  });
  rest();
}

/// A reader of events says nothing; when it closes, so do we.
void Connection::watch_reader() {
  parts_.channel->read_some(asio::buffer(chunk_),
                            [self = shared_from_this()](ErrorCode, std::size_t) { self->drop(); });
}

/// Writes the next event, or waits for one.
void Connection::rest() {
  if (is_writing_ || is_closed_) return;
  if (auto event = response_.events->take()) return write_event(*std::move(event));
  if (response_.events->is_over()) return drop();
  heartbeat_->expires_after(parts_.limits.heartbeat);
  heartbeat_->async_wait([weak = weak_from_this()](ErrorCode error) {
    const auto self = weak.lock();
    if (error || !self || self->is_writing_ || self->is_closed_) return;
    self->write_event(": here\n\n");
  });
}

void Connection::write_event(std::string text) {
  head_ = std::move(text);
  is_writing_ = true;
  set_deadline(parts_.limits.write);
  parts_.channel->write({asio::buffer(head_)},
                        [self = shared_from_this()](ErrorCode error, std::size_t) {
                          self->is_writing_ = false;
                          self->deadline_ = kNever;
                          if (error || self->is_closed_) return self->drop();
                          self->rest();
                        });
}

}  // namespace quantlens::server
