// The field numbers of TensorFlow's messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/frontend/protobuf.h"

namespace quantlens::graphdef {

using protobuf::append_fixed;
using protobuf::append_varints;
using protobuf::as_bytes;
using protobuf::as_text;
using protobuf::bytes_key;
using protobuf::Field;
using protobuf::Fields;
using protobuf::fixed32_key;
using protobuf::fixed64_key;
using protobuf::varint_key;

// Those that quantlens looks into.
struct GraphDef {
  enum : std::uint32_t { node = 1, library = 2, version = 3, versions = 4, debug_info = 5 };
};
struct VersionDef {
  enum : std::uint32_t { producer = 1, min_consumer = 2 };
};
struct NodeDef {
  enum : std::uint32_t { name = 1, op = 2, input = 3, device = 4, attr = 5 };
};
struct MapEntry {
  enum : std::uint32_t { key = 1, value = 2 };
};
struct AttrValue {
  enum : std::uint32_t {
    list = 1,
    s = 2,
    i = 3,
    f = 4,
    b = 5,
    type = 6,
    shape = 7,
    tensor = 8,
    placeholder = 9,
    func = 10
  };
};
struct ListValue {
  enum : std::uint32_t { s = 2, i = 3, f = 4, b = 5, type = 6, shape = 7, tensor = 8, func = 9 };
};
struct NameAttrList {
  enum : std::uint32_t { name = 1, attr = 2 };
};
struct TensorShapeProto {
  enum : std::uint32_t { dim = 2, unknown_rank = 3 };
};
struct DimensionProto {
  enum : std::uint32_t { size = 1 };
};
struct TensorProto {
  enum : std::uint32_t {
    dtype = 1,
    tensor_shape = 2,
    tensor_content = 4,
    float_val = 5,
    double_val = 6,
    int_val = 7,
    int64_val = 10,
    bool_val = 11,
    half_val = 13,
    uint32_val = 16,
    uint64_val = 17
  };
};
struct RunMetadata {
  enum : std::uint32_t { step_stats = 1, partition_graphs = 3 };
};
struct StepStats {
  enum : std::uint32_t { dev_stats = 1 };
};
struct DeviceStepStats {
  enum : std::uint32_t { device = 1, node_stats = 2 };
};
struct NodeExecStats {
  enum : std::uint32_t {
    node_name = 1,
    all_start_micros = 2,
    all_end_rel_micros = 5,
    output = 7,
    timeline_label = 8,
    all_start_nanos = 13,
    all_end_rel_nanos = 16
  };
};
struct NodeOutput {
  enum : std::uint32_t { slot = 1, tensor_description = 3 };
};
struct TensorDescription {
  enum : std::uint32_t { dtype = 1, shape = 2 };
};
struct FunctionDefLibrary {
  enum : std::uint32_t { function = 1 };
};
struct FunctionDef {
  enum : std::uint32_t { signature = 1, node_def = 3, ret = 4 };
};
struct OpDef {
  enum : std::uint32_t { name = 1, input_arg = 2, output_arg = 3 };
};
struct ArgDef {
  enum : std::uint32_t { name = 1, type = 3, type_attr = 4, number_attr = 5, type_list_attr = 6 };
};
struct OpList {
  enum : std::uint32_t { op = 1 };
};
struct SignatureDef {
  enum : std::uint32_t { inputs = 1, outputs = 2 };
};
struct TensorInfo {
  enum : std::uint32_t { name = 1, dtype = 2, tensor_shape = 3 };
};
struct SavedModel {
  enum : std::uint32_t { schema_version = 1, meta_graphs = 2 };
};
struct MetaGraphDef {
  enum : std::uint32_t { meta_info_def = 1, graph_def = 2, signature_def = 5 };
};
struct MetaInfoDef {
  enum : std::uint32_t { stripped_op_list = 2, tags = 4, tensorflow_version = 5 };
};

}  // namespace quantlens::graphdef
