// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "quantlens/graph/model.h"
#include "quantlens/quant/scheme.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// How an op takes part in static quantization.
enum class Role {
  compute,       ///< integer kernel with a weight or two activations; worth quantizing by itself
  follow,        ///< has an integer kernel, but pays only between integer neighbours
  pass_through,  ///< moves codes without computing: output has the input's parameters
  join,          ///< moves codes of several inputs: all have one scale, and the output, too
};

/// One row of what a runtime runs in int8.
struct Capability {
  Kind kind = Kind::other;
  Role role = Role::follow;
  std::size_t data_inputs = 1;  ///< how many inputs are data; 0: all of them (Concat)
  std::size_t first_data_input = 0;
  bool needs_integer_output = true;  ///< false: the kernel can also return float
  bool moves_all_widths = false;     ///< 16-bit codes as well as those of 8
};

/// What a runtime's integer kernels are like on a CPU that a model may be for. A CPU without a row
/// has none of it.
struct TargetRow {
  TargetCpu target = TargetCpu::auto_;
  /// They add up products of 8-bit codes and int8 weights in 16 bits, two at a time: these fit
  /// where weights have 7 bits.
  bool saturates = false;
};

/// What the codes of a runtime's kernels are like, and how it finds these kernels.
struct KernelRules {
  /// Codes have a zero point. Else activations that are never negative are uint8 from 0 on, all
  /// others int8 around 0, and so are weights, whatever a recipe asks.
  bool zero_points = true;
  bool all_widths = true;    ///< codes of 4 and of 16 bits, though computed in float
  bool on_arm = true;        ///< there are such kernels for ARM's CPUs
  bool integer_bias = true;  ///< a bias becomes int32; else it stays float
  /// The runtime finds them itself, between links of codes and floats, and so it may find others
  /// than those that are meant; else int8 ops say what they are.
  bool finds_kernels = true;
};

/// The scheme of an activation that a recipe wants as `asked`, by whether it may be negative.
Scheme code_scheme(const KernelRules& rules, const Scheme& asked, bool is_negative);

/// What one runtime runs in int8: a table of its own for each. It does not change, and lives as
/// long as the program.
class Capabilities {
 public:
  using Obstacle = std::string_view (*)(const Node&);
  /// `others`: what it computes on codes, too, and quantlens leaves in float; `attributes`: which
  /// of them stand in the way; `targets`: in what its CPUs differ.
  constexpr Capabilities(std::span<const Capability> rows, std::span<const Kind> others,
                         Obstacle attributes, std::span<const TargetRow> targets,
                         KernelRules rules = {})
      : rows_(rows), others_(others), obstacle_(attributes), targets_(targets), rules_(rules) {}

  std::span<const Capability> rows() const { return rows_; }
  /// The row of a kind; null where it stays float.
  const Capability* row(Kind kind) const;
  bool has(Kind kind) const { return row(kind) != nullptr; }
  bool has(Kind kind, Role role) const;
  /// Whether an op of this kind multiplies its data by a constant weight, and has no kernel for two
  /// operands of data.
  bool needs_weight(Kind kind) const;
  /// Whether the runtime computes an op on codes where it stands between those of all it reads and
  /// of its result, whoever put them there.
  bool has_kernel(Kind kind) const;
  /// Whether an op gives elements of its first input: it moves, picks, pools or repeats them.
  bool passes_elements(Kind kind) const;
  /// Why an op that has a row cannot be quantized as it stands (its attributes); empty if it can.
  std::string_view obstacle(const Node& node) const { return obstacle_(node); }
  /// Whether sums of products saturate on this CPU; `auto_` is none.
  bool saturates(TargetCpu target) const;
  const KernelRules& rules() const { return rules_; }

 private:
  std::span<const Capability> rows_;
  std::span<const Kind> others_;
  Obstacle obstacle_;
  std::span<const TargetRow> targets_;
  KernelRules rules_;
};

/// The table of the runtime that runs models of this format (Model::format), with what its CPUs
/// differ in. It is chosen without a target, as a model is analysed once for recipes with several:
/// the ops that have integer kernels are the same on all CPUs. Of a format that no table is for: an
/// empty one, all stays float.
const Capabilities& capabilities_of(std::string_view format);

/// The axis of output channels of a weight: for Conv 0, for MatMul the last, for Gemm by transB,
/// for ConvTranspose 1 (of each group). Nothing where per-channel scales are not possible.
std::optional<int> output_channel_axis(const Node& node,
                                       std::span<const std::int64_t> weight_shape);

}  // namespace quantlens
