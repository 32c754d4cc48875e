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
    "conv_transpose",
    "gemm",
    "matmul",
    "batch_norm",
    "layer_norm",
    "instance_norm",
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
    "prelu",
    "elu",
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
    "reduce_max",
    "reduce_min",
    "arg_max",
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
    "gather_elements",
    "tile",
    "depth_to_space",
    "space_to_depth",
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
    "qleaky_relu",
    "qsigmoid",
    "qsoftmax",
    "qwhere",
    "matmul_integer",
    "conv_integer",
    "matmul_integer_to_float",
    "dynamic_quantize_matmul",
    "matmul_blocks",
    "gather_blocks",
    "recurrent",
    "control_flow",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::control_flow) + 1);

}  // namespace

std::span<const std::string_view> EnumWords<Kind>::get() {
  return kNames;
}

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
    case Kind::depth_to_space:
    case Kind::space_to_depth:
      return true;
    default:
      return false;
  }
}

bool is_elementwise(Kind kind) {
  switch (kind) {
    case Kind::relu:
    case Kind::clip:
    case Kind::sigmoid:
    case Kind::erf:
    case Kind::tanh:
    case Kind::gelu:
    case Kind::hard_swish:
    case Kind::hard_sigmoid:
    case Kind::leaky_relu:
    case Kind::prelu:
    case Kind::elu:
    case Kind::exp:
    case Kind::log:
    case Kind::sqrt:
    case Kind::reciprocal:
    case Kind::neg:
    case Kind::abs:
    case Kind::identity:
    case Kind::dropout:
    case Kind::cast:
    case Kind::quantize:
    case Kind::dequantize:
      return true;
    default:
      return false;
  }
}

bool uses_codes(Kind kind) {
  switch (kind) {
    case Kind::quantize:
    case Kind::dequantize:
    case Kind::dynamic_quantize:
    case Kind::qconv:
    case Kind::qmatmul:
    case Kind::qgemm:
    case Kind::qadd:
    case Kind::qmul:
    case Kind::qconcat:
    case Kind::qaverage_pool:
    case Kind::qglobal_average_pool:
    case Kind::qleaky_relu:
    case Kind::qsigmoid:
    case Kind::qsoftmax:
    case Kind::qwhere:
    case Kind::matmul_integer:
    case Kind::conv_integer:
    case Kind::matmul_integer_to_float:
    case Kind::dynamic_quantize_matmul:
    case Kind::matmul_blocks:
    case Kind::gather_blocks:
      return true;
    default:
      return false;
  }
}

}  // namespace quantlens
