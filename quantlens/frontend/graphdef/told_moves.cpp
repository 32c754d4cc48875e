// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "quantlens/frontend/graphdef/meaning.h"

namespace quantlens::graphdef {
namespace {

Told axis_at(Reading& of, std::size_t input) {
  const auto axis = of.number(input);
  return axis ? Told(roles::AxisChoice{.axis = axis}) : std::nullopt;
}

/// The input has a pair for each axis; roles have all in front, then all behind.
std::optional<Numbers> pads_of(const Reading& of) {
  const auto pairs = of.numbers(1);
  const Tensor* tensor = of.constant(1);
  if (!pairs || pairs->empty() || tensor->shape().size() != 2 || tensor->shape()[1] != 2)
    return std::nullopt;
  Numbers pads;
  for (const std::size_t behind : {0U, 1U}) {
    for (std::size_t at = behind; at < pairs->size(); at += 2) pads.push_back((*pairs)[at]);
  }
  return pads;
}

}  // namespace

Told reduction(Reading of) {
  return roles::Reduction{.keeps_axes = of.flag("keep_dims"), .takes_all = false};
}

Told relu6(Reading) {
  return roles::Bounds{.low = 0.F, .high = 6.F, .operands = {.low = kNone, .high = kNone}};
}

Told clip(Reading of) {
  for (const std::size_t bound : {1U, 2U}) {
    const Tensor* tensor = of.constant(bound);
    if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  }
  return roles::Bounds();
}

Told reshape(Reading) {
  return roles::Reshaping{.copies_zeros = false};
}

Told squeeze(Reading of) {
  return roles::NamedAxes{.axes = attribute_ints(of.node, "squeeze_dims"),
                          .operands = {.axes = kNone}};
}

Told unsqueeze(Reading of) {
  return of.number(1) ? Told(roles::NamedAxes()) : std::nullopt;
}

Told transpose(Reading of) {
  const auto order = of.numbers(1);
  return order && !order->empty() ? Told(roles::Permutation{.order = *order}) : std::nullopt;
}

Told softmax(Reading) {
  return roles::AxisChoice{.axis = -1};
}

/// The axis comes behind the parts, and is no input here.
Told concat(Reading of) {
  if (of.node.inputs.size() < 2) return std::nullopt;
  Told told = axis_at(of, of.node.inputs.size() - 1);
  if (told) of.node.inputs.pop_back();
  return told;
}

/// The axis comes first, and is no input here.
Told old_concat(Reading of) {
  if (of.node.inputs.size() < 2) return std::nullopt;
  Told told = axis_at(of, 0);
  if (told) of.node.inputs.erase(of.node.inputs.begin());
  return told;
}

Told split(Reading of) {
  if (of.node.inputs.size() != 2) return std::nullopt;
  Told told = axis_at(of, 0);
  if (told) of.node.inputs.erase(of.node.inputs.begin());
  return told;
}

Told split_by_extents(Reading of) {
  return axis_at(of, 2);
}

Told arg_max(Reading of) {
  return axis_at(of, 1);
}

Told gather(Reading) {
  return roles::AxisChoice{.axis = 0};
}

Told gather_along(Reading of) {
  if (attribute_int(of.node, "batch_dims", 0) != 0) return std::nullopt;
  return axis_at(of, 2);
}

/// Masks say what no role does: whole ranges, and axes that go or come.
Told slice(Reading of) {
  for (const char* mask :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (attribute_int(of.node, mask, 0) != 0) return std::nullopt;
  }
  return roles::Slicing{.operands = {.begins = 1, .ends = 2, .axes = kNone, .steps = 3}};
}

Told pad(Reading of) {
  const auto pads = pads_of(of);
  if (!pads) return std::nullopt;
  return roles::Padding{
      .is_constant = of.node.type != "MirrorPad",
      .operands = {.pads = kNone, .filling = of.node.type == "PadV2" ? 2U : kNone, .axes = kNone},
      .pads = *pads};
}

Told nearest(Reading) {
  return roles::Resampling{.is_nearest = true};
}

Told interpolated(Reading) {
  return roles::Resampling{.is_nearest = false};
}

Told cast(Reading of) {
  return roles::Conversion{.to = dtype_of_word(of.text("DstT", ""))};
}

}  // namespace quantlens::graphdef
