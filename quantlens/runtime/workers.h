// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "quantlens/runtime/run.h"

namespace quantlens {

namespace remote {
class Client;
struct Worker;
}  // namespace remote

/// How a worker for a runtime is started: `<program> worker <runtime>`.
remote::Worker worker_for(std::string_view runtime, const Isolation& isolation);

/// The workers of one job, a process for each runtime, started when it is first asked: they read
/// models, apply plans and time models. Models that are timed through them share a process, so that
/// they run in turn there as they would here. (A Run has a worker of its own.)
class Workers {
 public:
  explicit Workers(Isolation isolation);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  ///< those that nothing uses any more are ended and waited for

  /// The one for this runtime; a new one where the last was lost. Throws Errc::failed where it does
  /// not start.
  std::shared_ptr<remote::Client> worker(std::string_view runtime);

  /// How they are started.
  const Isolation& isolation() const { return isolation_; }

 private:
  const Isolation isolation_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<remote::Client>, std::less<>> clients_;
};

}  // namespace quantlens
