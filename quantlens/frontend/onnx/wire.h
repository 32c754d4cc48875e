// The bytes of onnx.proto: field numbers, and fields of a message one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "quantlens/base/store.h"

namespace quantlens::onnx {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian, as in files");

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

// Field number and wire type in one, for `switch`: a known number with another wire type is an
// unknown field, as everywhere in protobuf.
constexpr std::uint32_t varint_key(std::uint32_t number) {
  return number << 3U;
}
constexpr std::uint32_t fixed64_key(std::uint32_t number) {
  return number << 3U | 1U;
}
constexpr std::uint32_t bytes_key(std::uint32_t number) {
  return number << 3U | 2U;
}
constexpr std::uint32_t fixed32_key(std::uint32_t number) {
  return number << 3U | 5U;
}

/// One field of a message.
struct Field {
  std::uint32_t key = 0;     ///< number and wire type
  std::string_view whole;    ///< tag, length and contents, as they are in the file
  std::string_view payload;  ///< contents of a length-delimited field
  std::uint64_t bits = 0;    ///< value of any other
  std::uint32_t number() const { return key >> 3U; }
  std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  float real() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
};

/// The fields of a message, in order. Throws protozero::exception where the bytes are no message.
class Fields {
 public:
  explicit Fields(std::string_view message) : reader_(message.data(), message.size()) {}
  bool next(Field& field) {
    const char* const begin = reader_.data().data();
    if (!reader_.next()) return false;
    field = {};
    field.key = reader_.tag_and_type();
    switch (reader_.wire_type()) {
      case protozero::pbf_wire_type::varint:
        field.bits = reader_.get_uint64();
        break;
      case protozero::pbf_wire_type::fixed64:
        field.bits = reader_.get_fixed64();
        break;
      case protozero::pbf_wire_type::fixed32:
        field.bits = reader_.get_fixed32();
        break;
      default: {
        const protozero::data_view view = reader_.get_view();
        field.payload = {view.data(), view.size()};
      }
    }
    field.whole = {begin, static_cast<std::size_t>(reader_.data().data() - begin)};
    return true;
  }

 private:
  protozero::pbf_reader reader_;
};

/// Adds the numbers of one occurrence of a repeated varint field, packed or not.
template <class T>
void append_varints(const Field& field, std::vector<T>& out) {
  if (field.key == varint_key(field.number())) {
    out.push_back(static_cast<T>(field.bits));
    return;
  }
  const char* at = field.payload.data();
  const char* const end = at + field.payload.size();
  while (at != end) out.push_back(static_cast<T>(protozero::decode_varint(&at, end)));
}

/// Adds the bytes of one occurrence of a repeated fixed-width field, packed or not.
inline void append_fixed(const Field& field, std::vector<std::byte>& out) {
  std::string_view bytes = field.payload;
  if (field.key == fixed32_key(field.number())) bytes = field.whole.substr(field.whole.size() - 4);
  if (field.key == fixed64_key(field.number())) bytes = field.whole.substr(field.whole.size() - 8);
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  out.insert(out.end(), data, data + bytes.size());
}

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace quantlens::onnx
