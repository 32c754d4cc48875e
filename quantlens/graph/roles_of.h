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

/// The values that these ops read; empty where the op is another one, or lacks that input.
const std::string& data_of(const Node& node);
const std::string& weight_of(const Node& node);
const std::string& bias_of(const Node& node);

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
