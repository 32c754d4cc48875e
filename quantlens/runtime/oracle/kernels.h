// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/runtime/oracle/call.h"

namespace quantlens::oracle {

/// The kernel of a node, or null where the oracle does not know the op.
Kernel kernel_of(const Node& node);

/// The element type that an attribute names by ONNX's number; `otherwise` where absent.
DType dtype_attribute(const Call& call, const std::string& key, DType otherwise);

// One function an op, as its specification words it; the families are the files. Each throws
// Errc::bad_input for inputs that do not fit and Errc::unsupported for variants it does not know.

// conv.cpp, matmul.cpp
Results conv(const Call& call);
Results matmul(const Call& call);
Results gemm(const Call& call);

// binary.cpp
Results add(const Call& call);
Results sub(const Call& call);
Results mul(const Call& call);
Results div(const Call& call);
Results pow(const Call& call);
Results min(const Call& call);
Results max(const Call& call);
Results equal(const Call& call);
Results less(const Call& call);
Results less_or_equal(const Call& call);
Results greater(const Call& call);
Results greater_or_equal(const Call& call);
Results logical_and(const Call& call);
Results logical_or(const Call& call);

// unary.cpp
Results identity(const Call& call);
Results dropout(const Call& call);
Results relu(const Call& call);
Results clip(const Call& call);
Results leaky_relu(const Call& call);
Results sigmoid(const Call& call);
Results tanh(const Call& call);
Results hard_sigmoid(const Call& call);
Results hard_swish(const Call& call);
Results gelu(const Call& call);
Results erf(const Call& call);
Results sqrt(const Call& call);
Results exp(const Call& call);
Results log(const Call& call);
Results reciprocal(const Call& call);
Results neg(const Call& call);
Results abs(const Call& call);
Results logical_not(const Call& call);

// normalize.cpp
Results softmax(const Call& call);
Results batch_normalization(const Call& call);
Results layer_normalization(const Call& call);

// reduce.cpp
Results reduce_l2(const Call& call);
Results reduce_max(const Call& call);
Results reduce_mean(const Call& call);
Results reduce_min(const Call& call);
Results reduce_sum(const Call& call);

// pool.cpp
Results max_pool(const Call& call);
Results average_pool(const Call& call);
Results global_average_pool(const Call& call);
Results global_max_pool(const Call& call);

// shape.cpp
Results reshape(const Call& call);
Results flatten(const Call& call);
Results squeeze(const Call& call);
Results unsqueeze(const Call& call);
Results shape_of(const Call& call);
Results cast(const Call& call);
Results constant(const Call& call);
Results constant_of_shape(const Call& call);
Results expand(const Call& call);

// move.cpp
Results transpose(const Call& call);
Results concat(const Call& call);
Results split(const Call& call);
Results slice(const Call& call);
Results gather(const Call& call);
Results pad(const Call& call);
Results where(const Call& call);

// quantize.cpp
Results quantize_linear(const Call& call);
Results dequantize_linear(const Call& call);
Results dynamic_quantize_linear(const Call& call);

// qlinear.cpp
Results qlinear_conv(const Call& call);
Results conv_integer(const Call& call);
Results qlinear_matmul(const Call& call);
Results matmul_integer(const Call& call);
Results qgemm(const Call& call);

// qelementwise.cpp
Results qlinear_add(const Call& call);
Results qlinear_mul(const Call& call);
Results qlinear_concat(const Call& call);
Results qlinear_average_pool(const Call& call);
Results qlinear_global_average_pool(const Call& call);

}  // namespace quantlens::oracle
