// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

/// A TensorProto as it stands in the file.
struct TensorParts {
  std::int64_t type = 0;
  std::optional<std::vector<Dim>> shape = std::vector<Dim>();
  std::string_view content;     ///< all elements as they are in memory
  std::vector<Field> elements;  ///< occurrences of the typed fields
};

TensorParts split(std::string_view message) {
  TensorParts parts;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(TensorProto::dtype)) parts.type = field.integer();
    if (field.key == bytes_key(TensorProto::tensor_shape)) parts.shape = read_shape(field.payload);
    if (field.key == bytes_key(TensorProto::tensor_content)) parts.content = field.payload;
    if (field.number() >= TensorProto::float_val) parts.elements.push_back(field);
  }
  return parts;
}

/// Where a tensor has elements of this type that are not `tensor_content`.
std::uint32_t field_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return TensorProto::float_val;
    case DType::float64:
      return TensorProto::double_val;
    case DType::float16:
    case DType::bfloat16:
      return TensorProto::half_val;
    case DType::int64:
      return TensorProto::int64_val;
    case DType::boolean:
      return TensorProto::bool_val;
    case DType::uint32:
      return TensorProto::uint32_val;
    case DType::uint64:
      return TensorProto::uint64_val;
    default:
      return TensorProto::int_val;
  }
}

class TensorReader {
 public:
  TensorReader(Source& source, std::string_view name, const TensorParts& parts, DType dtype)
      : source_(source), name_(name), parts_(parts), dtype_(dtype) {
    if (!parts.shape) fail("has a shape without a rank");
    for (const Dim& dim : *parts.shape) {
      if (!dim.extent) fail("has a negative extent");
      shape_.push_back(*dim.extent);
    }
    const std::optional<std::int64_t> count = element_count(shape_);
    const std::size_t each = byte_size(dtype);
    if (!count || static_cast<std::uint64_t>(*count) > std::numeric_limits<std::size_t>::max() / 16)
      fail(fmt::format("has the impossible shape {}",
                       to_string(std::span<const std::int64_t>(shape_))));
    bytes_ = static_cast<std::size_t>(*count) * each;
  }

  Tensor read() {
    if (!parts_.content.empty()) {
      if (parts_.content.size() != bytes_)
        fail(fmt::format("needs {} bytes, and there are {}", bytes_, parts_.content.size()));
      return Tensor(dtype_, shape_, as_bytes(parts_.content), source_.file.owner());
    }
    if (const auto whole = in_one_piece())
      return Tensor(dtype_, shape_, as_bytes(*whole), source_.file.owner());
    return repeated(stored());
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    unsound(source_.path, fmt::format("the tensor of '{}' {}", printable(name_), problem));
  }

  /// Floats that lie in the file as they do in memory.
  std::optional<std::string_view> in_one_piece() const {
    const std::uint32_t field = field_of(dtype_);
    if (field != TensorProto::float_val && field != TensorProto::double_val) return std::nullopt;
    if (parts_.elements.size() != 1 || parts_.elements[0].key != bytes_key(field) ||
        parts_.elements[0].payload.size() != bytes_)
      return std::nullopt;
    return parts_.elements[0].payload;
  }

  template <class T>
  std::vector<std::byte> varints() const {
    std::vector<T> values;
    for (const Field& field : parts_.elements) {
      const bool fits =
          field.key == varint_key(field.number()) || field.key == bytes_key(field.number());
      if (field.number() == field_of(dtype_) && fits) append_varints(field, values);
    }
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

  std::vector<std::byte> fixed() const {
    std::vector<std::byte> bytes;
    for (const Field& field : parts_.elements) {
      const std::uint32_t one =
          dtype_ == DType::float32 ? fixed32_key(field.number()) : fixed64_key(field.number());
      const bool fits = field.key == one || field.key == bytes_key(field.number());
      if (field.number() == field_of(dtype_) && fits) append_fixed(field, bytes);
    }
    if (bytes.size() % byte_size(dtype_) != 0) fail("is cut short");
    return bytes;
  }

  /// The elements that are there.
  std::vector<std::byte> stored() const {
    if (dtype_ == DType::float32 || dtype_ == DType::float64) return fixed();
    switch (byte_size(dtype_)) {
      case 8:
        return varints<std::uint64_t>();
      case 4:
        return varints<std::uint32_t>();
      case 2:
        return varints<std::uint16_t>();
      default:
        return varints<std::uint8_t>();
    }
  }

  /// The last of them stands for all that are missing; none is zero. Those that are too many do
  /// not count.
  Tensor repeated(std::vector<std::byte> bytes) {
    const std::size_t each = byte_size(dtype_), there = std::min(bytes.size(), bytes_);
    if (bytes_ > there) spend(source_, bytes_ - there);
    bytes.resize(bytes_);
    for (std::size_t at = there; there > 0 && at < bytes_; at += each)
      std::memcpy(bytes.data() + at, bytes.data() + there - each, each);
    const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return Tensor(dtype_, shape_, *owner, owner);
  }

  Source& source_;
  std::string_view name_;
  const TensorParts& parts_;
  DType dtype_;
  Shape shape_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::optional<Tensor> read_tensor(Source& source, std::string_view name, std::string_view message) {
  const TensorParts parts = split(message);
  const std::optional<DType> dtype = dtype_of_number(parts.type);
  if (!dtype || *dtype == DType::string) return std::nullopt;
  return TensorReader(source, name, parts, *dtype).read();
}

}  // namespace quantlens::graphdef
