// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/shape.h"

#include <fmt/format.h>

namespace quantlens {

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;  // without the zeros, so that strides never overflow either
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, extent, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::string to_string(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

}  // namespace quantlens
