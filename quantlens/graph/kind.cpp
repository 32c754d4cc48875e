// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/kind.h"

#include <cstddef>
#include <iterator>

namespace quantlens {
namespace {

// In the order of the enumerators (a test holds one against the other).
constexpr std::string_view kNames[] = {
    "other",
    "constant",
    "conv",
    "gemm",
    "matmul",
    "batch_norm",
    "layer_norm",
    "add",
    "sub",
    "mul",
    "div",
    "relu",
    "clip",
    "sigmoid",
    "softmax",
    "erf",
    "tanh",
    "gelu",
    "hard_swish",
    "hard_sigmoid",
    "leaky_relu",
    "exp",
    "log",
    "pow",
    "sqrt",
    "reciprocal",
    "neg",
    "abs",
    "concat",
    "max_pool",
    "average_pool",
    "global_average_pool",
    "reduce_mean",
    "reduce_sum",
    "reshape",
    "transpose",
    "squeeze",
    "unsqueeze",
    "flatten",
    "identity",
    "dropout",
    "cast",
    "shape_of",
    "slice",
    "split",
    "gather",
    "pad",
    "resize",
    "where",
    "min",
    "max",
    "expand",
    "quantize",
    "dequantize",
    "dynamic_quantize",
    "qconv",
    "qmatmul",
    "qgemm",
    "qadd",
    "qmul",
    "qconcat",
    "qaverage_pool",
    "qglobal_average_pool",
    "matmul_integer",
    "conv_integer",
    "control_flow",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::control_flow) + 1);

}  // namespace

std::string_view to_string(Kind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

bool moves_elements(Kind kind) {
  switch (kind) {
    case Kind::reshape:
    case Kind::transpose:
    case Kind::squeeze:
    case Kind::unsqueeze:
    case Kind::flatten:
    case Kind::identity:
      return true;
    default:
      return false;
  }
}

}  // namespace quantlens
