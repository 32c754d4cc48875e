// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

struct DataType {
  int onnx;
  DType dtype;
  std::uint32_t field;  ///< of TensorProto, for elements that are not in raw_data
};

constexpr DataType kDataTypes[] = {
    {1, DType::float32, TensorProto::float_data},   {2, DType::uint8, TensorProto::int32_data},
    {3, DType::int8, TensorProto::int32_data},      {4, DType::uint16, TensorProto::int32_data},
    {5, DType::int16, TensorProto::int32_data},     {6, DType::int32, TensorProto::int32_data},
    {7, DType::int64, TensorProto::int64_data},     {8, DType::string, TensorProto::string_data},
    {9, DType::boolean, TensorProto::int32_data},   {10, DType::float16, TensorProto::int32_data},
    {11, DType::float64, TensorProto::double_data}, {12, DType::uint32, TensorProto::uint64_data},
    {13, DType::uint64, TensorProto::uint64_data},  {16, DType::bfloat16, TensorProto::int32_data},
    {21, DType::uint4, TensorProto::int32_data},    {22, DType::int4, TensorProto::int32_data},
};

const DataType* find_data_type(std::int64_t onnx) {
  const auto* const found = std::ranges::find(kDataTypes, onnx, &DataType::onnx);
  return found == std::end(kDataTypes) ? nullptr : found;
}

/// A TensorProto as it stands in the file.
struct TensorParts {
  std::string name;
  Shape dims;
  std::int64_t data_type = 0;
  std::optional<std::string_view> raw;
  std::vector<Field> elements;  ///< occurrences of the typed data fields
  std::vector<Field> external;
  bool is_external = false;
};

TensorParts split(std::string_view message) {
  TensorParts parts;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(TensorProto::name):
        parts.name = field.payload;
        break;
      case varint_key(TensorProto::dims):
      case bytes_key(TensorProto::dims):
        append_varints(field, parts.dims);
        break;
      case varint_key(TensorProto::data_type):
        parts.data_type = field.integer();
        break;
      case bytes_key(TensorProto::raw_data):
        parts.raw = field.payload;
        break;
      case varint_key(TensorProto::data_location):
        parts.is_external = field.bits == 1;
        break;
      case bytes_key(TensorProto::external_data):
        parts.external.push_back(field);
        break;
      case fixed32_key(TensorProto::float_data):
      case bytes_key(TensorProto::float_data):
      case varint_key(TensorProto::int32_data):
      case bytes_key(TensorProto::int32_data):
      case varint_key(TensorProto::int64_data):
      case bytes_key(TensorProto::int64_data):
      case fixed64_key(TensorProto::double_data):
      case bytes_key(TensorProto::double_data):
      case varint_key(TensorProto::uint64_data):
      case bytes_key(TensorProto::uint64_data):
      case bytes_key(TensorProto::string_data):
        parts.elements.push_back(field);
        break;
      default:
        break;
    }
  }
  return parts;
}

/// Cheaper than `split`, which looks at every element that is stored by itself.
bool is_external(std::string_view message) {
  bool external = false;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(TensorProto::data_location)) external = field.bits == 1;
  }
  return external;
}

std::int64_t count_of(const Source& source, const TensorParts& parts) {
  const std::optional<std::int64_t> count = element_count(parts.dims);
  if (count) return *count;
  unsound(source.path,
          fmt::format("the tensor '{}' has the impossible shape {}", printable(parts.name),
                      to_string(std::span<const std::int64_t>(parts.dims))));
}

class TensorReader {
 public:
  TensorReader(Source& source, const TensorParts& parts, DataType type, std::int64_t count)
      : source_(source), parts_(parts), type_(type), count_(static_cast<std::size_t>(count)) {}

  Tensor read() {
    if (parts_.is_external) {
      const Bytes bytes = external_bytes();
      return dense(bytes, external_file().owner());
    }
    if (type_.dtype == DType::string) return strings();
    if (parts_.raw) return dense(as_bytes(*parts_.raw), source_.file.owner());
    switch (type_.field) {
      case TensorProto::float_data:
      case TensorProto::double_data:
        return fixed();
      case TensorProto::int64_data:
        return varints<std::int64_t>();
      case TensorProto::uint64_data:
        return type_.dtype == DType::uint32 ? varints<std::uint32_t>() : varints<std::uint64_t>();
      default:
        return small_varints();
    }
  }

  /// REQUIRES: they are external.
  Bytes external_bytes() const {
    const External external = read_external(source_.path, parts_.external);
    const MappedFile& file = external_file();
    const std::size_t needed = stored_bytes();
    const std::size_t there = file.bytes().size();
    if (external.length && *external.length != needed) {
      fail(fmt::format("needs {} bytes, and its external data have {}", needed, *external.length));
    }
    if (external.offset > there || needed > there - external.offset) {
      fail(fmt::format("lies beyond the end of '{}' ({} bytes)", printable(external.location),
                       there));
    }
    return file.bytes().subspan(static_cast<std::size_t>(external.offset), needed);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    unsound(source_.path,
            fmt::format("the tensor '{}' of shape {} {}", printable(parts_.name),
                        to_string(std::span<const std::int64_t>(parts_.dims)), problem));
  }

  bool is_half_byte() const { return type_.dtype == DType::int4 || type_.dtype == DType::uint4; }

  /// Bytes of all elements in a file.
  std::size_t stored_bytes() const {
    if (is_half_byte()) return count_ / 2 + count_ % 2;
    const std::size_t each = byte_size(type_.dtype);
    if (count_ > std::numeric_limits<std::size_t>::max() / 2 / each) fail("is too large");
    return count_ * each;
  }

  template <class T>
  Tensor owned(std::vector<T> values) const {
    const auto owner = std::make_shared<std::vector<T>>(std::move(values));
    return Tensor(type_.dtype, parts_.dims, std::as_bytes(std::span<const T>(*owner)), owner);
  }

  Tensor dense(Bytes bytes, const std::shared_ptr<const void>& owner) const {
    if (type_.dtype == DType::string) fail("holds strings as raw bytes");
    if (bytes.size() != stored_bytes()) {
      fail(fmt::format("needs {} bytes, and there are {}", stored_bytes(), bytes.size()));
    }
    if (is_half_byte()) return unpacked(bytes);
    return Tensor(type_.dtype, parts_.dims, bytes, owner);
  }

  /// One element a byte; the first of two is in the lower half.
  Tensor unpacked(Bytes bytes) const {
    std::vector<std::uint8_t> out;
    out.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto both = std::to_integer<unsigned>(bytes[i / 2]);
      const unsigned half = i % 2 == 0 ? both & 15U : both >> 4U;
      const bool negative = type_.dtype == DType::int4 && half >= 8;
      out.push_back(static_cast<std::uint8_t>(negative ? half | 0xF0U : half));
    }
    return owned(std::move(out));
  }

  Tensor strings() const {
    std::vector<std::string> values;
    for (const Field& field : parts_.elements) {
      if (field.key == bytes_key(TensorProto::string_data)) values.emplace_back(field.payload);
    }
    expect_count(values.size());
    return Tensor::from_strings(parts_.dims, std::move(values));
  }

  void expect_count(std::size_t count) const {
    if (count != count_) fail(fmt::format("has {} elements stored", count));
  }

  /// float_data and double_data: a view where they are in one piece.
  Tensor fixed() const {
    std::vector<Field> pieces;
    std::ranges::copy_if(parts_.elements, std::back_inserter(pieces),
                         [&](const Field& field) { return field.number() == type_.field; });
    if (pieces.size() == 1 && pieces[0].key == bytes_key(type_.field)) {
      return dense(as_bytes(pieces[0].payload), source_.file.owner());
    }
    std::vector<std::byte> bytes;
    for (const Field& piece : pieces) append_fixed(piece, bytes);
    const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return dense(*owner, owner);
  }

  template <class T>
  std::vector<T> collect() const {
    std::vector<T> values;
    for (const Field& field : parts_.elements) {
      if (field.number() == type_.field) append_varints(field, values);
    }
    return values;
  }

  template <class T>
  Tensor varints() const {
    std::vector<T> values = collect<T>();
    expect_count(values.size());
    return owned(std::move(values));
  }

  /// int32_data: one element each, or two of half a byte.
  Tensor small_varints() const {
    switch (byte_size(type_.dtype)) {
      case 4:
        return varints<std::uint32_t>();
      case 2:
        return varints<std::uint16_t>();
      default: {
        const auto owner = std::make_shared<std::vector<std::uint8_t>>(collect<std::uint8_t>());
        return dense(std::as_bytes(std::span<const std::uint8_t>(*owner)), owner);
      }
    }
  }

  const MappedFile& external_file() const {
    return file_beside(source_, read_external(source_.path, parts_.external).location);
  }

  Source& source_;
  const TensorParts& parts_;
  DataType type_;
  std::size_t count_;
};

}  // namespace

std::optional<DType> dtype_from_onnx(std::int64_t data_type) {
  const DataType* const found = find_data_type(data_type);
  if (found == nullptr) return std::nullopt;
  return found->dtype;
}

int onnx_from_dtype(DType dtype) {
  return std::ranges::find(kDataTypes, dtype, &DataType::dtype)->onnx;
}

NamedTensor read_tensor(Source& source, std::string_view message) {
  const TensorParts parts = split(message);
  NamedTensor out{parts.name, std::nullopt};
  const std::int64_t count = count_of(source, parts);
  if (const DataType* type = find_data_type(parts.data_type)) {
    out.tensor = TensorReader(source, parts, *type, count).read();
  } else if (parts.data_type <= 0) {
    unsound(source.path, fmt::format("the tensor '{}' has no element type", printable(parts.name)));
  }
  return out;
}

std::optional<Bytes> external_contents(Source& source, std::string_view message) {
  if (!is_external(message)) return std::nullopt;
  const TensorParts parts = split(message);
  if (const DataType* type = find_data_type(parts.data_type)) {
    return TensorReader(source, parts, *type, count_of(source, parts)).external_bytes();
  }
  const External external = read_external(source.path, parts.external);
  const Bytes all = file_beside(source, external.location).bytes();
  if (!external.length || external.offset > all.size() ||
      *external.length > all.size() - external.offset) {
    unsound(source.path,
            fmt::format("the external data of '{}' are not all there", printable(parts.name)));
  }
  return all.subspan(static_cast<std::size_t>(external.offset),
                     static_cast<std::size_t>(*external.length));
}

}  // namespace quantlens::onnx
