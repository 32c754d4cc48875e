// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quantlens/tensor/dtype.h"
#include "quantlens/tensor/shape.h"

namespace quantlens {

/// A dense, row-major, immutable array. Copying shares the buffer. String tensors keep their
/// elements apart (`strings`). The buffer may be a view into a mapped file and then unaligned.
class Tensor {
 public:
  Tensor() = default;  ///< float32, shape [0]

  /// A view of `bytes`, kept alive by `owner`.
  /// Throws Errc::bad_input unless bytes.size() == element_count(shape) * byte_size(dtype).
  Tensor(DType dtype, Shape shape, std::span<const std::byte> bytes,
         std::shared_ptr<const void> owner);

  template <class T>
  static Tensor from(Shape shape, std::vector<T> values);  ///< takes the vector over
  static Tensor from_strings(Shape shape, std::vector<std::string> values);
  template <class T>
  static Tensor scalar(T value) {
    return from<T>({}, {value});
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return size_; }  ///< elements
  std::span<const std::byte> bytes() const { return bytes_; }
  const std::vector<std::string>& strings() const;  ///< empty unless dtype() is string
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// The elements. REQUIRES: the buffer is aligned (`aligned`) and dtype() == dtype_of<T>(), or T
  /// is the integer that holds the bits of a type C++ lacks: std::uint16_t of float16 and bfloat16,
  /// std::int8_t of int4, std::uint8_t of uint4 and boolean (where any byte but 0 is true).
  template <class T>
  std::span<const T> data() const;

  /// The same elements under another shape. Throws Errc::bad_input unless the counts are equal.
  Tensor reshaped(Shape shape) const;

 private:
  DType dtype_ = DType::float32;
  Shape shape_{0};
  std::int64_t size_ = 0;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

/// The same tensor, its buffer copied only where it is not aligned for its element type.
Tensor aligned(const Tensor& tensor);

/// Any numeric tensor as aligned float32 (no copy where it already is).
/// Throws Errc::unsupported for strings.
Tensor to_float32(const Tensor& tensor);

/// Any integer or boolean tensor as int64. Throws Errc::bad_input for floats and strings.
std::vector<std::int64_t> to_int64(const Tensor& tensor);

/// Tensors by value name.
using TensorMap = std::map<std::string, Tensor>;

}  // namespace quantlens

#include "quantlens/tensor/tensor_impl.h"
