// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "quantlens/profiling/import/nodes.h"

namespace quantlens::imports {

/// Where TensorFlow saw an execution; a kind of times. `device`: on a GPU or TPU, where that is the
/// launch alone if there are streams; `all_streams`: of a device, the same kernels as in `stream`.
enum Place : std::size_t { host, device, all_streams, stream };

/// By a device's name: "/job:localhost/replica:0/task:0/device:GPU:0/stream:all".
Place place_of(std::string_view name);
/// "GPU:0", "CPU:0", or the whole name.
std::string_view short_device(std::string_view name);

/// Executions in TensorFlow's profiles, whose step is the whole file.
class StepTimes {
 public:
  void add(std::string_view device, const NodeKey& key, double start_us, double us);
  /// Gives the streams' times to the accelerator, or the device's where there are none.
  void fill(Profile& profile, Progress& progress);

 private:
  Nodes nodes_;
  std::array<bool, ImportedNode::kKinds> seen_{};
  double first_us_ = 0;
  double last_us_ = 0;
};

}  // namespace quantlens::imports
