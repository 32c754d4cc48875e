// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/roles_of.h"

#include <algorithm>
#include <limits>

#include "quantlens/graph/shape_lists.h"

namespace quantlens {
namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();  // input of no op

/// The input whose number the operands of this role have in this field.
template <class Role, class Operands>
const std::string& input_of(const Node& node, std::size_t Operands::*number) {
  const auto* found = role<Role>(node);
  return quantlens::input_of(node, found != nullptr ? found->operands.*number : kAbsent);
}

}  // namespace

const Roles& roles_of(const Node& node) {
  return std::holds_alternative<std::monostate>(node.roles) ? default_roles(node.kind) : node.roles;
}

const roles::Operands* operands_of(const Node& node) {
  if (const auto* convolution = role<roles::Convolution>(node)) return &convolution->operands;
  if (const auto* product = role<roles::MatrixProduct>(node)) return &product->operands;
  return nullptr;
}

const std::string& data_of(const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return input_of(node, operands ? operands->data : kAbsent);
}

const std::string& weight_of(const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return input_of(node, operands ? operands->weight : kAbsent);
}

const std::string& bias_of(const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return input_of(node, operands ? operands->bias.value_or(kAbsent) : kAbsent);
}

const std::string& left_of(const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return input_of(node, operands ? operands->data : 0);
}

const std::string& right_of(const Node& node) {
  const roles::Operands* operands = operands_of(node);
  return input_of(node, operands ? operands->weight : 1);
}

const std::string& scale_of(const Node& node) {
  if (role<roles::Normalization>(node) != nullptr)
    return input_of<roles::Normalization>(node, &roles::NormalizationOperands::scale);
  return input_of<roles::Coding>(node, &roles::CodingOperands::scale);
}

const std::string& zero_point_of(const Node& node) {
  return input_of<roles::Coding>(node, &roles::CodingOperands::zero_point);
}

const std::string& low_bound_of(const Node& node) {
  return input_of<roles::Bounds>(node, &roles::BoundsOperands::low);
}

const std::string& high_bound_of(const Node& node) {
  return input_of<roles::Bounds>(node, &roles::BoundsOperands::high);
}

const std::string& indices_of(const Node& node) {
  if (node.kind == Kind::gather_blocks)
    return input_of<roles::BlockMatrix>(node, &roles::BlockOperands::indices);
  if (node.kind == Kind::gather || node.kind == Kind::gather_elements)
    return input_of<roles::AxisChoice>(node, &roles::AxisOperands::indices);
  return input_of(node, kAbsent);
}

const std::string& part_extents_of(const Node& node) {
  if (node.kind != Kind::split) return input_of(node, kAbsent);
  return input_of<roles::AxisChoice>(node, &roles::AxisOperands::extents);
}

const std::string& new_shape_of(const Node& node) {
  return input_of<roles::Reshaping>(node, &roles::ReshapingOperands::shape);
}

const std::string& repetition_of(const Node& node) {
  return input_of<roles::Repetition>(node, &roles::RepetitionOperands::extents);
}

const std::string& pads_of(const Node& node) {
  return input_of<roles::Padding>(node, &roles::PaddingOperands::pads);
}

const std::string& filling_of(const Node& node) {
  return input_of<roles::Padding>(node, &roles::PaddingOperands::filling);
}

const std::string& begins_of(const Node& node) {
  return input_of<roles::Slicing>(node, &roles::SlicingOperands::begins);
}

const std::string& ends_of(const Node& node) {
  return input_of<roles::Slicing>(node, &roles::SlicingOperands::ends);
}

const std::string& steps_of(const Node& node) {
  return input_of<roles::Slicing>(node, &roles::SlicingOperands::steps);
}

const std::string& axes_input_of(const Node& node) {
  if (role<roles::NamedAxes>(node) != nullptr)
    return input_of<roles::NamedAxes>(node, &roles::AxesOperands::axes);
  if (role<roles::Reduction>(node) != nullptr)
    return input_of<roles::Reduction>(node, &roles::AxesOperands::axes);
  if (role<roles::Padding>(node) != nullptr)
    return input_of<roles::Padding>(node, &roles::PaddingOperands::axes);
  return input_of<roles::Slicing>(node, &roles::SlicingOperands::axes);
}

std::optional<WeightAxes> weight_axes(const Node& node, std::size_t rank) {
  if (const auto* convolution = role<roles::Convolution>(node)) {
    const std::size_t last =
        std::max({convolution->output_axis, convolution->input_axis, convolution->channel_axis});
    if (rank < 3 || last >= rank) return std::nullopt;
    return WeightAxes{.output = convolution->output_axis, .input = convolution->input_axis};
  }
  if (rank < 2 || role<roles::MatrixProduct>(node) == nullptr) return std::nullopt;
  return transposes_b(node) ? WeightAxes{.output = rank - 2, .input = rank - 1}
                            : WeightAxes{.output = rank - 1, .input = rank - 2};
}

bool transposes_b(const Node& node) {
  const auto* product = role<roles::MatrixProduct>(node);
  return product != nullptr && product->transposes_b;
}

bool transposes_a(const Node& node) {
  const auto* product = role<roles::MatrixProduct>(node);
  return product != nullptr && product->transposes_a;
}

float alpha_of(const Node& node) {
  const auto* product = role<roles::MatrixProduct>(node);
  return product != nullptr ? product->alpha : 1;
}

float beta_of(const Node& node) {
  const auto* product = role<roles::MatrixProduct>(node);
  return product != nullptr ? product->beta : 1;
}

std::int64_t groups_of(const Node& node) {
  const auto* convolution = role<roles::Convolution>(node);
  return convolution != nullptr ? convolution->groups : 1;
}

bool fuses_activation(const Node& node) {
  const auto* convolution = role<roles::Convolution>(node);
  const auto* product = role<roles::MatrixProduct>(node);
  return (convolution != nullptr && convolution->fuses_activation) ||
         (product != nullptr && product->fuses_activation);
}

const roles::Window* window_of(const Node& node) {
  if (const auto* convolution = role<roles::Convolution>(node)) return &convolution->window;
  if (const auto* pool = role<roles::Pool>(node)) return &pool->window;
  return nullptr;
}

bool is_padded(const roles::Window& window) {
  return window.pads_to_fit ||
         std::ranges::any_of(window.pads, [](std::int64_t one) { return one != 0; });
}

std::optional<std::int64_t> axis_of(const Node& node) {
  if (const auto* choice = role<roles::AxisChoice>(node)) return choice->axis;
  if (const auto* coding = role<roles::Coding>(node)) return coding->axis;
  return std::nullopt;
}

const std::vector<std::int64_t>& permutation_of(const Node& node) {
  static const std::vector<std::int64_t> kNone;
  const auto* permutation = role<roles::Permutation>(node);
  return permutation != nullptr ? permutation->order : kNone;
}

std::vector<std::int64_t> axes_named(const GraphIndex& index, const Node& node) {
  const auto* named = role<roles::NamedAxes>(node);
  if (named == nullptr) return {};
  if (axes_input_of(node).empty()) return named->axes;
  return constant_list(index, axes_input_of(node)).value_or(std::vector<std::int64_t>());
}

bool casts_to_float(const Node& node) {
  const auto* conversion = role<roles::Conversion>(node);
  return conversion != nullptr && conversion->to && is_float(*conversion->to);
}

}  // namespace quantlens
