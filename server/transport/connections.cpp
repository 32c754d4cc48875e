// SPDX-License-Identifier: Apache-2.0
#include "server/transport/connections.h"

#include <algorithm>

namespace quantlens::server {

void Connections::add(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  connections_.emplace(connection.get(), connection);
}

void Connections::remove(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
}

std::size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

/// Copies: the last owner of a connection must not let go of it while `mutex_` is held, as
/// `remove` locks it.
std::vector<std::shared_ptr<Connection>> Connections::all() const {
  std::vector<std::shared_ptr<Connection>> found;
  const std::lock_guard lock(mutex_);
  found.reserve(connections_.size());
  for (const auto& [_, weak] : connections_) {
    if (auto one = weak.lock()) found.push_back(std::move(one));
  }
  return found;
}

void Connections::close_overdue(Connection::Clock::time_point now) {
  for (const auto& one : all()) {
    if (one->is_overdue(now)) one->close();
  }
}

bool Connections::close_oldest_idle() {
  const auto found = all();
  const auto oldest =
      std::ranges::min_element(found, {}, [](const auto& one) { return one->idle_since(); });
  if (oldest == found.end() || (*oldest)->idle_since() == Connection::Clock::time_point::max())
    return false;
  (*oldest)->close();
  return true;
}

void Connections::finish_all() {
  for (const auto& one : all()) one->finish();
}

void Connections::close_all() {
  for (const auto& one : all()) one->close();
}

}  // namespace quantlens::server
