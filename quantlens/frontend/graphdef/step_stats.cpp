// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/step_stats.h"

#include <algorithm>
#include <limits>

#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

/// Nothing where an extent is not known.
std::optional<Shape> known_shape(std::string_view message) {
  const auto dims = read_shape(message);
  if (!dims) return std::nullopt;
  Shape shape;
  for (const Dim& dim : *dims) {
    if (!dim.extent) return std::nullopt;
    shape.push_back(*dim.extent);
  }
  return element_count(shape) ? std::optional(shape) : std::nullopt;
}

/// Of a message NodeOutput; nothing where its type or shape is not known.
std::optional<NodeResult> read_result(std::string_view message) {
  std::int64_t slot = 0;
  std::optional<DType> dtype;
  std::optional<Shape> shape = Shape();  // a scalar's is an empty message, or none
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(NodeOutput::slot)) slot = field.integer();
    if (field.key != bytes_key(NodeOutput::tensor_description)) continue;
    Fields parts(field.payload);
    for (Field part; parts.next(part);) {
      if (part.key == varint_key(TensorDescription::dtype)) dtype = dtype_of_number(part.integer());
      if (part.key == bytes_key(TensorDescription::shape)) shape = known_shape(part.payload);
    }
  }
  if (!dtype || !shape || slot < 0 || slot > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return NodeResult{.slot = static_cast<std::uint32_t>(slot), .dtype = *dtype, .shape = *shape};
}

void read_device(std::string_view message, RunNotes& notes) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(DeviceStepStats::node_stats)) notes.nodes.push_back(field.payload);
  }
}

}  // namespace

NodeStats read_node_stats(std::string_view message) {
  NodeStats stats;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(NodeExecStats::node_name):
        stats.name = field.payload;
        break;
      case bytes_key(NodeExecStats::timeline_label):
        stats.label = field.payload;
        break;
      case varint_key(NodeExecStats::all_start_micros):
        stats.start_us = field.integer();
        break;
      case varint_key(NodeExecStats::all_end_rel_micros):
        stats.us = field.integer();
        break;
      case varint_key(NodeExecStats::all_start_nanos):
        stats.start_ns = field.integer();
        break;
      case varint_key(NodeExecStats::all_end_rel_nanos):
        stats.ns = field.integer();
        break;
      default:
        break;
    }
  }
  return stats;
}

std::vector<NodeResult> read_results(std::string_view message) {
  std::vector<NodeResult> results;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(NodeExecStats::output)) continue;
    if (auto result = read_result(field.payload)) results.push_back(*std::move(result));
  }
  return results;
}

RunNotes read_run_metadata(std::string_view message) {
  RunNotes notes;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(RunMetadata::partition_graphs))
      notes.graphs.push_back(field.payload);
    if (field.key != bytes_key(RunMetadata::step_stats)) continue;
    Fields devices(field.payload);
    for (Field device; devices.next(device);) {
      if (device.key == bytes_key(StepStats::dev_stats)) read_device(device.payload, notes);
    }
  }
  return notes;
}

}  // namespace quantlens::graphdef
