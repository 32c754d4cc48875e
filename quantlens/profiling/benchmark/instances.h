// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/profiling/benchmark/instance_messages.h"

namespace quantlens {

/// How instances are started and ended.
struct InstancesOptions {
  fs::path program = "/proc/self/exe";  ///< `PROGRAM benchmark-instance` calls serve_instance
  std::function<bool()> stop;           ///< asked while they are waited for
  std::optional<double> timeout_seconds = {};  ///< one that is silent for so long is given up
};

/// Processes that time models at the same time. However this ends, they are ended and waited for.
/// Every call throws what an instance answers with, Errc::failed where one is gone, and
/// Errc::interrupted where `stop` says so; this is of no more use then.
class Instances {
 public:
  /// One for each job. They read their models and data.
  Instances(const std::vector<InstanceJob>& jobs, const InstancesOptions& options);
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;
  ~Instances();

  /// All load model number `model` of their jobs anew and warm it up; once all have, all run it,
  /// until each has timed enough. Of each its runs in microseconds.
  std::vector<std::vector<double>> time_round(std::uint64_t model);

 private:
  class Instance;
  std::vector<InstanceAnswer> order_all(const InstanceOrder& order);

  void check_stop() const;

  std::function<bool()> stop_;
  std::vector<std::unique_ptr<Instance>> instances_;
};

}  // namespace quantlens
