// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/workers.h"

#include <utility>

#include "quantlens/runtime/remote/client.h"
#include "quantlens/runtime/remote/remote.h"

namespace quantlens {

remote::Worker worker_for(std::string_view runtime, const Isolation& isolation) {
  const std::string name(runtime);
  return {.command = {.program = isolation.program, .arguments = {"worker", name}},
          .runtime = name,
          .timeout_seconds = isolation.timeout_seconds,
          .stop_requested = isolation.stop_requested};
}

Workers::Workers(Isolation isolation) : isolation_(std::move(isolation)) {}

Workers::~Workers() = default;

std::shared_ptr<remote::Client> Workers::worker(std::string_view runtime) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(runtime);
  if (found != clients_.end() && !found->second->is_lost()) return found->second;
  auto client = std::make_shared<remote::Client>(worker_for(runtime, isolation_));
  clients_.insert_or_assign(std::string(runtime), client);
  return client;
}

}  // namespace quantlens
