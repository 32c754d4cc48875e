// The field numbers of onnx.proto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quantlens/frontend/protobuf.h"

namespace quantlens::onnx {

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

// Field numbers of the messages that quantlens looks into; all others are copied.
struct ModelProto {
  enum : std::uint32_t {
    ir_version = 1,
    producer_name = 2,
    graph = 7,
    opset_import = 8,
    metadata_props = 14,
    training_info = 20,
    functions = 25
  };
};
struct OperatorSetIdProto {
  enum : std::uint32_t { domain = 1, version = 2 };
};
struct FunctionProto {
  enum : std::uint32_t { name = 1, node = 7, domain = 10, overload = 13 };
};
struct TrainingInfoProto {
  enum : std::uint32_t { initialization = 1, algorithm = 2 };
};
struct StringStringEntryProto {
  enum : std::uint32_t { key = 1, value = 2 };
};
struct GraphProto {
  enum : std::uint32_t {
    node = 1,
    name = 2,
    initializer = 5,
    input = 11,
    output = 12,
    value_info = 13,
    quantization_annotation = 14,
    sparse_initializer = 15
  };
};
struct NodeProto {
  enum : std::uint32_t { input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7 };
};
struct AttributeProto {
  enum : std::uint32_t {
    name = 1,
    f = 2,
    i = 3,
    s = 4,
    t = 5,
    g = 6,
    floats = 7,
    ints = 8,
    strings = 9,
    tensors = 10,
    graphs = 11,
    type = 20,
    sparse_tensor = 22,
    sparse_tensors = 23
  };
};
/// AttributeProto.type
enum class AttributeType : std::uint8_t {
  undefined = 0,
  real = 1,
  integer = 2,
  text = 3,
  tensor = 4,
  graph = 5,
  reals = 6,
  integers = 7,
  texts = 8,
  graphs = 10,
};

struct TensorProto {
  enum : std::uint32_t {
    dims = 1,
    data_type = 2,
    float_data = 4,
    int32_data = 5,
    string_data = 6,
    int64_data = 7,
    name = 8,
    raw_data = 9,
    double_data = 10,
    uint64_data = 11,
    external_data = 13,
    data_location = 14
  };
};
struct SparseTensorProto {
  enum : std::uint32_t { values = 1, indices = 2 };
};
struct ValueInfoProto {
  enum : std::uint32_t { name = 1, type = 2 };
};
struct TypeProto {
  enum : std::uint32_t { tensor_type = 1 };
};
struct TensorTypeProto {
  enum : std::uint32_t { elem_type = 1, shape = 2 };
};
struct TensorShapeProto {
  enum : std::uint32_t { dim = 1 };
};
struct DimensionProto {
  enum : std::uint32_t { dim_value = 1, dim_param = 2 };
};

}  // namespace quantlens::onnx
