// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::oracle {
namespace {

/// f over the elements of a float tensor, in double.
Results of_floats(const Call& call, auto f) {
  const Tensor& x = call.input(0);
  std::vector<double> values = doubles(x);
  for (double& value : values) value = f(value);
  return {from_doubles(x.dtype(), x.shape(), values)};
}

/// f over the elements of any numeric tensor, integers in int64.
Results of_numbers(const Call& call, auto f) {
  const Tensor& x = call.input(0);
  if (is_float(x.dtype())) return of_floats(call, f);
  std::vector<std::int64_t> values = to_int64(x);
  for (std::int64_t& value : values) value = f(value);
  return {from_integers(x.dtype(), x.shape(), values)};
}

/// The limit `key` of a Clip: an attribute before opset 11, else input `i`.
double clip_limit(const Call& call, const char* key, std::size_t i, double none) {
  if (call.opset < 11) {
    return call.node.attributes.contains(key)
               ? static_cast<double>(attribute_float(call.node, key, 0))
               : none;
  }
  return call.has(i) ? number(call.input(i)) : none;
}

std::int64_t clip_limit(const Call& call, std::size_t i, std::int64_t none) {
  if (!call.has(i)) return none;
  const std::vector<std::int64_t> values = to_int64(call.input(i));
  if (values.size() != 1) refuse("a limit is not one number");
  return values[0];
}

}  // namespace

Results identity(const Call& call) {
  return {call.input(0)};
}

Results dropout(const Call& call) {
  const Tensor& x = call.input(0);
  if (call.has(2) && number(call.input(2)) != 0) {
    refuse_unknown("the oracle does not train: its input training_mode is true");
  }
  Results results{x};
  if (call.wants(1)) {
    const std::vector<std::int64_t> all(static_cast<std::size_t>(x.size()), 1);
    results.push_back(from_integers(DType::boolean, x.shape(), all));
  }
  return results;
}

Results relu(const Call& call) {
  return of_numbers(call, [](auto x) { return x < 0 ? decltype(x){0} : x; });
}

Results clip(const Call& call) {
  if (!is_float(call.input(0).dtype())) {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::int64_t low = clip_limit(call, 1, Limits::min());
    const std::int64_t high = clip_limit(call, 2, Limits::max());
    return of_numbers(call, [=](auto x) {
      return std::min(static_cast<decltype(x)>(high), std::max(static_cast<decltype(x)>(low), x));
    });
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double low = clip_limit(call, "min", 1, -infinity);
  const double high = clip_limit(call, "max", 2, infinity);
  return of_floats(call, [=](double x) {
    if (std::isnan(x)) return x;
    return std::min(high, std::max(low, x));
  });
}

Results leaky_relu(const Call& call) {
  const double alpha = attribute_float(call.node, "alpha", 0.01f);
  return of_floats(call, [=](double x) { return x < 0 ? alpha * x : x; });
}

Results sigmoid(const Call& call) {
  return of_floats(call, [](double x) { return 1 / (1 + std::exp(-x)); });
}

Results tanh(const Call& call) {
  return of_floats(call, [](double x) { return std::tanh(x); });
}

Results hard_sigmoid(const Call& call) {
  const double alpha = attribute_float(call.node, "alpha", 0.2f);
  const double beta = attribute_float(call.node, "beta", 0.5f);
  return of_floats(call, [=](double x) { return std::max(0.0, std::min(1.0, alpha * x + beta)); });
}

Results hard_swish(const Call& call) {
  return of_floats(call, [](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); });
}

Results gelu(const Call& call) {
  if (attribute_string(call.node, "approximate", "none") == "tanh") {
    return of_floats(call, [](double x) {
      const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1 + std::tanh(inner));
    });
  }
  return of_floats(call,
                   [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); });
}

Results erf(const Call& call) {
  return of_floats(call, [](double x) { return std::erf(x); });
}

Results sqrt(const Call& call) {
  return of_floats(call, [](double x) { return std::sqrt(x); });
}

Results exp(const Call& call) {
  return of_floats(call, [](double x) { return std::exp(x); });
}

Results log(const Call& call) {
  return of_floats(call, [](double x) { return std::log(x); });
}

Results reciprocal(const Call& call) {
  return of_floats(call, [](double x) { return 1 / x; });
}

Results neg(const Call& call) {
  return of_numbers(call, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>) {
      return -x;
    } else {
      return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x));  // wraps
    }
  });
}

Results abs(const Call& call) {
  return of_numbers(call, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>) {
      return std::abs(x);
    } else {
      return x < 0 ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(x)) : x;
    }
  });
}

Results logical_not(const Call& call) {
  const Tensor& x = call.input(0);
  std::vector<std::int64_t> values = to_int64(x);
  for (std::int64_t& value : values) value = value == 0;
  return {from_integers(DType::boolean, x.shape(), values)};
}

}  // namespace quantlens::oracle
