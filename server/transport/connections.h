// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "server/transport/connection.h"

namespace quantlens::server {

/// All connections that live, so that late ones are closed and none is forgotten.
/// Called from any thread.
class Connections {
 public:
  void add(const std::shared_ptr<Connection>& connection);
  void remove(const Connection* connection);
  std::size_t size() const;
  void close_overdue(Connection::Clock::time_point now);
  /// False where all have a request under way.
  bool close_oldest_idle();
  void finish_all();
  void close_all();

 private:
  std::vector<std::shared_ptr<Connection>> all() const;

  mutable std::mutex mutex_;
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;
};

}  // namespace quantlens::server
