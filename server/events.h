// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens::server {

/// One reader's part of the events: a bounded queue between who publishes and a socket that may be
/// slow. Called from any thread.
class Subscription {
 public:
  /// Events that wait for one reader. One more and the reader is dropped: it connects again and
  /// reads the state anew, which costs nobody else anything.
  static constexpr std::size_t kMostWaiting = 256;
  static constexpr std::size_t kMostBytes = 1 << 20;

  /// The text of an event, ready to be sent; nothing where none waits.
  std::optional<std::string> take();
  bool is_over() const;
  void end();
  /// Called, from any thread, whenever `take` or `is_over` may have something new. It must not call
  /// back into the subscription.
  void on_change(std::function<void()> wake);

 private:
  friend class Events;
  void put(const std::string& event);

  mutable std::mutex mutex_;
  std::deque<std::string> waiting_;
  std::size_t bytes_ = 0;
  bool over_ = false;
  std::function<void()> wake_;
};

/// Whoever wants to be told is told: publish once, each subscription gets a copy. Called from any
/// thread; never waits for a reader.
class Events {
 public:
  std::shared_ptr<Subscription> subscribe();
  /// `name`: a word; `data`: any text, JSON as a rule.
  void publish(std::string_view name, std::string_view data);
  std::size_t readers() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Subscription>> subscriptions_;
};

/// "event: name\ndata: ...\n\n", a line of data each with its own "data:".
std::string event_text(std::string_view name, std::string_view data);

}  // namespace quantlens::server
