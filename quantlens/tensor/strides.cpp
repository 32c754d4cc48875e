// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/strides.h"

#include <cstring>
#include <memory>
#include <utility>

namespace quantlens {

Strides strides(const Shape& shape) {
  Strides result(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    result[i] = step;
    if (shape[i] != 0) step *= shape[i];
  }
  return result;
}

Tensor rearranged(const Tensor& from, Shape shape, const Strides& steps, std::int64_t start) {
  const std::size_t size = byte_size(from.dtype());
  const auto bytes = std::make_shared<std::vector<std::byte>>(
      static_cast<std::size_t>(element_count(shape).value()) * size);
  const std::byte* source = from.bytes().data();
  std::byte* to = bytes->data();
  walk<1>(shape, {steps}, [&](const std::array<std::int64_t, 1>& places) {
    std::memcpy(to, source + static_cast<std::size_t>(start + places[0]) * size, size);
    to += size;
  });
  return Tensor(from.dtype(), std::move(shape), *bytes, bytes);
}

}  // namespace quantlens
