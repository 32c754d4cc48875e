// SPDX-License-Identifier: Apache-2.0
#include "server/events.h"

#include <utility>

namespace quantlens::server {

std::optional<std::string> Subscription::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::string event = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= event.size();
  return event;
}

bool Subscription::is_over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

void Subscription::end() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  if (wake_) wake_();
}

void Subscription::on_change(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Subscription::put(const std::string& event) {
  const std::lock_guard lock(mutex_);
  if (over_) return;
  if (waiting_.size() >= kMostWaiting || bytes_ + event.size() > kMostBytes) {
    over_ = true;
  } else {
    waiting_.push_back(event);
    bytes_ += event.size();
  }
  if (wake_) wake_();
}

std::shared_ptr<Subscription> Events::subscribe() {
  auto subscription = std::make_shared<Subscription>();
  const std::lock_guard lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& each) { return each.expired(); });
  subscriptions_.push_back(subscription);
  return subscription;
}

void Events::publish(std::string_view name, std::string_view data) {
  const std::string event = event_text(name, data);
  std::vector<std::shared_ptr<Subscription>> readers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : subscriptions_) {
      if (auto reader = each.lock()) readers.push_back(std::move(reader));
    }
  }
  for (const auto& reader : readers) reader->put(event);
}

std::size_t Events::readers() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& each : subscriptions_) {
    const auto reader = each.lock();
    if (reader && !reader->is_over()) ++count;
  }
  return count;
}

std::string event_text(std::string_view name, std::string_view data) {
  std::string text = "event: ";
  for (const char c : name) {
    if (c != '\r' && c != '\n') text += c;
  }
  text += "\ndata: ";
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool is_pair = data[i] == '\r' && i + 1 < data.size() && data[i + 1] == '\n';
    if (is_pair) continue;  // the newline speaks for both
    if (data[i] == '\n' || data[i] == '\r') {
      text += "\ndata: ";
    } else {
      text += data[i];
    }
  }
  return text + "\n\n";
}

}  // namespace quantlens::server
