// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "quantlens/tensor/tensor.h"

namespace quantlens {
namespace detail {

/// Whether elements of this type are held in memory as T.
template <class T>
bool holds(DType dtype) {
  if (dtype == dtype_of<T>()) return true;
  if constexpr (std::is_same_v<T, std::uint16_t>) {
    return dtype == DType::float16 || dtype == DType::bfloat16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return dtype == DType::int4;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return dtype == DType::uint4 || dtype == DType::boolean;
  }
  return false;
}

}  // namespace detail

template <class T>
Tensor Tensor::from(Shape shape, std::vector<T> values) {
  if constexpr (std::is_same_v<T, bool>) {  // its vector packs bits
    const auto bytes =
        std::make_shared<const std::vector<std::uint8_t>>(values.begin(), values.end());
    return Tensor(DType::boolean, std::move(shape), std::as_bytes(std::span(*bytes)), bytes);
  } else {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return Tensor(dtype_of<T>(), std::move(shape), std::as_bytes(std::span(*owner)), owner);
  }
}

template <class T>
std::span<const T> Tensor::data() const {
  static_assert(!std::is_same_v<T, bool>,
                "read booleans as std::uint8_t: a file's byte may be neither 0 nor 1");
  assert(detail::holds<T>(dtype_));
  assert(reinterpret_cast<std::uintptr_t>(bytes_.data()) % alignof(T) == 0);
  return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
}

}  // namespace quantlens
