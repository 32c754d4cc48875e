// What TensorFlow notes of a run when it is asked to trace it (step_stats.proto, config.proto).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "quantlens/tensor/dtype.h"
#include "quantlens/tensor/shape.h"

namespace quantlens::graphdef {

/// A node that ran: once for each time that it did. Texts are views of the bytes that were read.
struct NodeStats {
  std::string_view name;
  std::string_view label;  ///< "conv = _MklNativeFusedConv2D(x, w)", perhaps behind figures
  std::int64_t start_us = 0, us = 0;
  std::int64_t start_ns = 0, ns = 0;  ///< likewise; 0 in files of old versions
};

/// Of a message NodeExecStats. This and what follows throw protozero::exception where the bytes are
/// no such message; figures are whatever stands there.
NodeStats read_node_stats(std::string_view message);

/// A result that a node gave.
struct NodeResult {
  std::uint32_t slot = 0;  ///< its number
  DType dtype = DType::float32;
  Shape shape;
};

/// Of a message NodeExecStats: those of a known type and shape.
std::vector<NodeResult> read_results(std::string_view message);

/// A message RunMetadata, as views of its bytes.
struct RunNotes {
  std::vector<std::string_view> nodes;   ///< messages NodeExecStats, of all devices
  std::vector<std::string_view> graphs;  ///< messages GraphDef: what is run, a graph a device
};
RunNotes read_run_metadata(std::string_view message);

}  // namespace quantlens::graphdef
