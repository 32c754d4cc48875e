// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/layout.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

void check_same_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) {
    refuse(fmt::format("its inputs are {} and {}", name(a.dtype()), name(b.dtype())));
  }
}

/// f over the elements of two tensors that broadcast to `shape`, read by `numbers`.
template <class Out>
std::vector<Out> combined(const Tensor& a, const Tensor& b, const Shape& shape, auto numbers,
                          auto f) {
  const auto x = numbers(a);
  const auto y = numbers(b);
  std::vector<Out> result(checked_size(shape));
  std::size_t i = 0;
  walk<2>(shape, {broadcast_strides(a.shape(), shape), broadcast_strides(b.shape(), shape)},
          [&](const std::array<std::int64_t, 2>& at) {
            result[i++] = static_cast<Out>(
                f(x[static_cast<std::size_t>(at[0])], y[static_cast<std::size_t>(at[1])]));
          });
  return result;
}

/// f for floats in double, for integers in int64.
Tensor arithmetic(const Tensor& a, const Tensor& b, auto f) {
  check_same_type(a, b);
  const Shape shape = broadcast(a.shape(), b.shape());
  if (is_float(a.dtype())) {
    return from_doubles(a.dtype(), shape, combined<double>(a, b, shape, doubles, f));
  }
  return from_integers(a.dtype(), shape, combined<std::int64_t>(a, b, shape, to_int64, f));
}

Tensor comparison(const Tensor& a, const Tensor& b, auto f) {
  check_same_type(a, b);
  const Shape shape = broadcast(a.shape(), b.shape());
  return from_integers(DType::boolean, shape,
                       is_float(a.dtype()) ? combined<std::int64_t>(a, b, shape, doubles, f)
                                           : combined<std::int64_t>(a, b, shape, to_int64, f));
}

std::int64_t wrapped(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

/// Integers wrap as two's complement, as every runtime's do.
struct Plus {
  double operator()(double a, double b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
struct Minus {
  double operator()(double a, double b) const { return a - b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
};
struct Times {
  double operator()(double a, double b) const { return a * b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct Over {
  double operator()(double a, double b) const { return a / b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) refuse("it divides an integer by zero");
    return b == -1 ? wrapped(-static_cast<std::uint64_t>(a)) : a / b;
  }
};

/// NaN wins, as in NumPy.
struct Least {
  double operator()(double a, double b) const { return std::isnan(a) || a < b ? a : b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
};
struct Greatest {
  double operator()(double a, double b) const { return std::isnan(a) || a > b ? a : b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
};

Results of_all(const Call& call, auto f) {
  Tensor result = call.input(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    result = arithmetic(result, call.input(i), f);
  }
  return {result};
}

}  // namespace

Results add(const Call& call) {
  return {arithmetic(call.input(0), call.input(1), Plus())};
}

Results sub(const Call& call) {
  return {arithmetic(call.input(0), call.input(1), Minus())};
}

Results mul(const Call& call) {
  return {arithmetic(call.input(0), call.input(1), Times())};
}

Results div(const Call& call) {
  return {arithmetic(call.input(0), call.input(1), Over())};
}

Results min(const Call& call) {
  return of_all(call, Least());
}

Results max(const Call& call) {
  return of_all(call, Greatest());
}

Results pow(const Call& call) {
  const Tensor& a = call.input(0);
  const Tensor& b = call.input(1);
  if (!is_float(a.dtype())) refuse_unknown("the oracle raises only floats to a power");
  const Shape shape = broadcast(a.shape(), b.shape());
  return {from_doubles(
      a.dtype(), shape,
      combined<double>(a, b, shape, doubles, [](double x, double y) { return std::pow(x, y); }))};
}

Results equal(const Call& call) {
  return {comparison(call.input(0), call.input(1), [](auto a, auto b) { return a == b; })};
}

Results less(const Call& call) {
  return {comparison(call.input(0), call.input(1), [](auto a, auto b) { return a < b; })};
}

Results less_or_equal(const Call& call) {
  return {comparison(call.input(0), call.input(1), [](auto a, auto b) { return a <= b; })};
}

Results greater(const Call& call) {
  return {comparison(call.input(0), call.input(1), [](auto a, auto b) { return a > b; })};
}

Results greater_or_equal(const Call& call) {
  return {comparison(call.input(0), call.input(1), [](auto a, auto b) { return a >= b; })};
}

Results logical_and(const Call& call) {
  return {
      comparison(call.input(0), call.input(1), [](auto a, auto b) { return a != 0 && b != 0; })};
}

Results logical_or(const Call& call) {
  return {
      comparison(call.input(0), call.input(1), [](auto a, auto b) { return a != 0 || b != 0; })};
}

}  // namespace quantlens::oracle
