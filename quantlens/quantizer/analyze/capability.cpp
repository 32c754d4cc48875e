// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/capability.h"

#include <algorithm>
#include <array>

#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/onnxruntime_capability.h"
#include "quantlens/quantizer/analyze/tensorflow_capability.h"

namespace quantlens {
namespace {

struct RuntimeTable {
  std::string_view format;
  const Capabilities& (*able)();
};

constexpr std::array kTables = {
    RuntimeTable{.format = "onnx", .able = onnxruntime_capabilities},
    RuntimeTable{.format = "graphdef", .able = tensorflow_capabilities},
};

std::string_view no_obstacle(const Node& /*node*/) {
  return {};
}

}  // namespace

const Capability* Capabilities::row(Kind kind) const {
  const auto found = std::ranges::find(rows_, kind, &Capability::kind);
  return found == rows_.end() ? nullptr : &*found;
}

bool Capabilities::has(Kind kind, Role role) const {
  const Capability* able = row(kind);
  return able != nullptr && able->role == role;
}

bool Capabilities::needs_weight(Kind kind) const {
  const Capability* able = row(kind);
  if (able == nullptr) return false;
  return kind == Kind::conv || kind == Kind::gemm ||
         (kind == Kind::matmul && able->data_inputs == 1);
}

bool Capabilities::has_kernel(Kind kind) const {
  return has(kind) || std::ranges::find(others_, kind) != others_.end();
}

bool Capabilities::passes_elements(Kind kind) const {
  return moves_elements(kind) || has(kind, Role::pass_through);
}

bool Capabilities::saturates(TargetCpu target) const {
  const auto found = std::ranges::find(targets_, target, &TargetRow::target);
  return found != targets_.end() && found->saturates;
}

Scheme code_scheme(const KernelRules& rules, const Scheme& asked, bool is_negative) {
  if (rules.zero_points) return asked;
  return {.dtype = is_negative ? DType::int8 : DType::uint8,
          .symmetric = is_negative,
          .axis = {},
          .bits = 8};
}

const Capabilities& capabilities_of(std::string_view format) {
  static constexpr Capabilities kNone({}, {}, no_obstacle, {});
  const auto* const found = std::ranges::find(kTables, format, &RuntimeTable::format);
  return found == kTables.end() ? kNone : found->able();
}

std::optional<int> output_channel_axis(const Node& node,
                                       std::span<const std::int64_t> weight_shape) {
  switch (node.kind) {
    case Kind::gemm:
    case Kind::matmul:  // integer kernels take per-column scales for plain matrices only
      if (weight_shape.size() != 2) return std::nullopt;
      break;
    case Kind::conv:
    case Kind::conv_transpose:
      break;
    default:
      return std::nullopt;
  }
  const std::optional<WeightAxes> axes = weight_axes(node, weight_shape.size());
  return axes ? std::optional(static_cast<int>(axes->output)) : std::nullopt;
}

}  // namespace quantlens
