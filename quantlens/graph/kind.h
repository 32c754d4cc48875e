// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "quantlens/base/words.h"

namespace quantlens {

/// What an op does, whatever a framework calls it. Quantizer, pairing and rules read only this and
/// what roles.h says of it.
/// Enumerators without a comment take (data) or (a, b) and give one output.
enum class Kind {
  other,
  constant,
  conv,            ///< inputs and axes of weights: roles::Convolution
  conv_transpose,  ///< likewise
  gemm,            ///< roles::MatrixProduct
  matmul,
  batch_norm,
  layer_norm,
  instance_norm,
  add,
  sub,
  mul,
  div,
  relu,
  clip,
  sigmoid,
  softmax,
  erf,
  tanh,
  gelu,
  hard_swish,
  hard_sigmoid,
  leaky_relu,
  prelu,
  elu,
  exp,
  log,
  pow,
  sqrt,
  reciprocal,
  neg,
  abs,
  concat,
  max_pool,
  average_pool,
  global_average_pool,
  reduce_mean,
  reduce_sum,
  reduce_max,
  reduce_min,
  arg_max,
  reshape,
  transpose,
  squeeze,
  unsqueeze,
  flatten,
  identity,
  dropout,
  cast,
  shape_of,
  slice,
  split,
  gather,
  gather_elements,
  tile,
  depth_to_space,
  space_to_depth,
  pad,
  resize,
  where,
  min,
  max,
  expand,
  quantize,    ///< roles::Coding
  dequantize,  ///< likewise
  dynamic_quantize,
  qconv,
  qmatmul,
  qgemm,
  qadd,
  qmul,
  qconcat,
  qaverage_pool,
  qglobal_average_pool,
  qleaky_relu,
  qsigmoid,
  qsoftmax,
  qwhere,
  matmul_integer,
  conv_integer,
  matmul_integer_to_float,  ///< codes times codes
  dynamic_quantize_matmul,  ///< floats times codes
  matmul_blocks,            ///< floats times a matrix in blocks of codes
  gather_blocks,            ///< picks from a table in blocks of codes, gives floats
  recurrent,                ///< LSTM, GRU, RNN
  control_flow,             ///< has subgraphs
};

std::string_view to_string(Kind kind);  ///< "conv", …

/// So that records hold kinds by their words.
template <>
struct EnumWords<Kind> {
  static std::span<const std::string_view> get();
};

/// Whether the op gives all elements of its first input, unchanged, in another shape or order.
bool moves_elements(Kind kind);

/// Whether each element of the result comes from the element of its first input in its own place.
bool is_elementwise(Kind kind);

/// Whether the op reads or gives integer codes of a quantized network.
bool uses_codes(Kind kind);

}  // namespace quantlens
