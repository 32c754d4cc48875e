// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "quantlens/graph/model.h"

namespace quantlens {

/// How an op takes part in static quantization.
enum class Role {
  compute,       ///< integer kernel with a weight or two activations; worth quantizing by itself
  follow,        ///< has an integer kernel, but pays only between integer neighbours
  pass_through,  ///< moves codes without computing: output has the input's parameters
};

/// One row of what runtimes run in int8 (QDQ form).
struct Capability {
  Kind kind = Kind::other;
  Role role = Role::follow;
  std::size_t data_inputs = 1;  ///< how many inputs are data; 0: all of them (Concat)
  std::size_t first_data_input = 0;
  bool needs_integer_output = true;  ///< false: the kernel can also return float
  bool moves_all_widths = false;     ///< 16-bit codes as well as those of 8
};

/// The table.
std::span<const Capability> capabilities();

/// The row of a kind; null where it stays float.
const Capability* capability(Kind kind);

/// Whether an op gives elements of its first input: it moves, picks, pools or repeats them.
bool passes_elements(Kind kind);

/// The axis of output channels of a weight: for Conv 0, for MatMul the last, for Gemm by transB,
/// for ConvTranspose 1 (of each group). Nothing where per-channel scales are not possible.
std::optional<int> output_channel_axis(const Node& node,
                                       std::span<const std::int64_t> weight_shape);

/// Why an op that the table lists cannot be quantized as it stands (its attributes); empty if it
/// can.
std::string_view attribute_obstacle(const Node& node);

}  // namespace quantlens
