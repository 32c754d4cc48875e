// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quantlens/runtime/oracle/call.h"
#include "quantlens/runtime/oracle/layout.h"

namespace quantlens::oracle {

/// The extents of a matrix product as NumPy's matmul has them: a [batch…, m, k], b [batch…, k, n].
struct Product {
  std::int64_t m = 1, k = 1, n = 1;
  Shape batch;               ///< of the result
  Strides batch_a, batch_b;  ///< in matrices, broadcast
  Shape result;
};

/// Throws Errc::bad_input where the shapes do not fit.
Product product(const Shape& a, const Shape& b);

template <class T>
std::vector<T> multiply(const Product& p, std::span<const T> a, std::span<const T> b) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<T> y(at(*element_count(p.result)));
  T* to = y.data();
  if (y.empty()) return y;
  walk<2>(p.batch, {p.batch_a, p.batch_b}, [&](const std::array<std::int64_t, 2>& matrix) {
    const std::int64_t begin_a = matrix[0] * p.m * p.k;
    const std::int64_t begin_b = matrix[1] * p.k * p.n;
    for (std::int64_t i = 0; i < p.m; ++i, to += p.n) {
      for (std::int64_t k = 0; k < p.k; ++k) {
        const T factor = a[at(begin_a + i * p.k + k)];
        for (std::int64_t j = 0; j < p.n; ++j) to[j] += factor * b[at(begin_b + k * p.n + j)];
      }
    }
  });
  return y;
}

/// A matrix [rows, columns] turned over.
template <class T>
std::vector<T> transposed(std::span<const T> a, std::size_t rows, std::size_t columns) {
  std::vector<T> result(a.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = a[i * columns + j];
  }
  return result;
}

/// The operands of a Gemm (transA, transB applied), ready to multiply.
template <class T>
struct Operands {
  Product shape;
  std::vector<T> a, b;
};

template <class T>
Operands<T> gemm_operands(const Node& node, const Shape& a_shape, std::vector<T> a,
                          const Shape& b_shape, std::vector<T> b) {
  const auto side = [&node](const char* key, const Shape& shape, std::vector<T> values) {
    if (shape.size() != 2) refuse("its operands are not matrices");
    if (attribute_int(node, key, 0) == 0) return std::pair(shape, std::move(values));
    return std::pair(Shape{shape[1], shape[0]},
                     transposed<T>(values, static_cast<std::size_t>(shape[0]),
                                   static_cast<std::size_t>(shape[1])));
  };
  auto [shape_a, values_a] = side("transA", a_shape, std::move(a));
  auto [shape_b, values_b] = side("transB", b_shape, std::move(b));
  return {product(shape_a, shape_b), std::move(values_a), std::move(values_b)};
}

}  // namespace quantlens::oracle
