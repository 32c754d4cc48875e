// The roles of a node, as questions that its readers ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/graph/order.h"

namespace quantlens {

/// Its own, or those of its kind where it has none.
const Roles& roles_of(const Node& node);

/// Null where the node has others.
template <class Role>
const Role* role(const Node& node) {
  return std::get_if<Role>(&roles_of(node));
}

/// Of a convolution or a matrix product; null of other ops.
const roles::Operands* operands_of(const Node& node);

// The values that ops read, by what they are for; empty where the op is another one, or lacks that
// input.

/// Of an op with Operands.
const std::string& data_of(const Node& node);
const std::string& weight_of(const Node& node);
const std::string& bias_of(const Node& node);

/// Of an op of two values that mean the same to it or are in an order that all formats have, such
/// as Add, Div and MatMul: the first and the second.
const std::string& left_of(const Node& node);
const std::string& right_of(const Node& node);

/// Of a Coding or Normalization.
const std::string& scale_of(const Node& node);
/// Of a Coding.
const std::string& zero_point_of(const Node& node);
/// Of a Clip.
const std::string& low_bound_of(const Node& node);
const std::string& high_bound_of(const Node& node);
/// What Gather, GatherElements and a Gather from blocks pick.
const std::string& indices_of(const Node& node);
/// How long a Split's parts are.
const std::string& part_extents_of(const Node& node);
/// The shape that a Reshape gives.
const std::string& new_shape_of(const Node& node);
/// Of an Expand the shape to broadcast to, of a Tile how often each axis is repeated.
const std::string& repetition_of(const Node& node);
/// Of a Pad.
const std::string& pads_of(const Node& node);
const std::string& filling_of(const Node& node);
/// Of a Slice.
const std::string& begins_of(const Node& node);
const std::string& ends_of(const Node& node);
const std::string& steps_of(const Node& node);
/// Which axes a Squeeze, Unsqueeze, reduction, Pad or Slice is about.
const std::string& axes_input_of(const Node& node);

/// Of a weight of `rank` dimensions.
struct WeightAxes {
  std::size_t output = 0, input = 0;
};

/// Nothing where the op is no convolution and no matrix product, or the rank is too small for it or
/// for the axes of a convolution.
std::optional<WeightAxes> weight_axes(const Node& node, std::size_t rank);

/// Whether a matrix that an op multiplies by is [outputs, inputs].
bool transposes_b(const Node& node);
bool transposes_a(const Node& node);

float alpha_of(const Node& node);          ///< 1 of all but matrix products
float beta_of(const Node& node);           ///< likewise
std::int64_t groups_of(const Node& node);  ///< 1 of all but convolutions
bool fuses_activation(const Node& node);

/// Of a convolution or pool; null of other ops.
const roles::Window* window_of(const Node& node);
/// Whether it adds anything around the data.
bool is_padded(const roles::Window& window);

/// Of an op with an AxisChoice or a Coding.
std::optional<std::int64_t> axis_of(const Node& node);

/// Of a Transpose; empty where it reverses the axes.
const std::vector<std::int64_t>& permutation_of(const Node& node);

/// Axes that a Squeeze or Unsqueeze names, itself or by a constant; empty where that is not known.
std::vector<std::int64_t> axes_named(const GraphIndex& index, const Node& node);

/// Whether an op is a Cast to floats of any width.
bool casts_to_float(const Node& node);

}  // namespace quantlens
