// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "quantlens/graph/compare_nodes.h"
#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

using Value = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;

/// An attribute, and what the format takes where it is absent, in every version of the operator.
struct KnownAttribute {
  enum class Absent { unknown, neutral_list, number, real, word };
  std::string_view key;
  Absent absent = Absent::unknown;  ///< unknown: compared only where both nodes have it
  double number = 0;
  bool is_axis = false;
  std::string_view text = {};
};
using Absent = KnownAttribute::Absent;

constexpr std::array kConv = {
    KnownAttribute{"pads", Absent::neutral_list}, KnownAttribute{"strides", Absent::neutral_list},
    KnownAttribute{"dilations", Absent::neutral_list}, KnownAttribute{"group", Absent::number, 1},
    KnownAttribute{"output_padding", Absent::neutral_list}};
constexpr std::array kPool = {KnownAttribute{"pads", Absent::neutral_list},
                              KnownAttribute{"strides", Absent::neutral_list},
                              KnownAttribute{"dilations", Absent::neutral_list},
                              KnownAttribute{"kernel_shape"},
                              KnownAttribute{"ceil_mode", Absent::number, 0},
                              KnownAttribute{"count_include_pad", Absent::number, 0}};
constexpr std::array kNorm = {KnownAttribute{"epsilon", Absent::real, 1e-5}};
constexpr std::array kLeakyRelu = {KnownAttribute{"alpha", Absent::real, 0.01}};
constexpr std::array kElu = {KnownAttribute{"alpha", Absent::real, 1}};
constexpr std::array kHardSigmoid = {KnownAttribute{"alpha", Absent::real, 0.2},
                                     KnownAttribute{"beta", Absent::real, 0.5}};
constexpr std::array kTranspose = {KnownAttribute{"perm"}};
constexpr std::array kAxis = {KnownAttribute{"axis", Absent::unknown, 0, true}};
constexpr std::array kDepthToSpace = {KnownAttribute{"blocksize"},
                                      KnownAttribute{"mode", Absent::word, 0, false, "DCR"}};
constexpr std::array kResize = {KnownAttribute{"mode", Absent::word, 0, false, "nearest"},
                                KnownAttribute{"coordinate_transformation_mode"},
                                KnownAttribute{"nearest_mode"},
                                KnownAttribute{"cubic_coeff_a", Absent::real, -0.75},
                                KnownAttribute{"exclude_outside", Absent::number, 0}};
constexpr std::array kPad = {KnownAttribute{"mode", Absent::word, 0, false, "constant"}};

std::span<const KnownAttribute> attributes_of(Kind kind) {
  switch (kind) {
    case Kind::conv:
    case Kind::conv_transpose:
      return kConv;
    case Kind::average_pool:
    case Kind::max_pool:
      return kPool;
    case Kind::batch_norm:
    case Kind::instance_norm:
    case Kind::layer_norm:
      return kNorm;
    case Kind::leaky_relu:
      return kLeakyRelu;
    case Kind::elu:
      return kElu;
    case Kind::hard_sigmoid:
      return kHardSigmoid;
    case Kind::transpose:
      return kTranspose;
    case Kind::softmax:
    case Kind::concat:
    case Kind::gather:
    case Kind::gather_elements:
    case Kind::split:
    case Kind::arg_max:
      return kAxis;
    case Kind::depth_to_space:
    case Kind::space_to_depth:
      return kDepthToSpace;
    case Kind::resize:
      return kResize;
    case Kind::pad:
      return kPad;
    default:
      return {};
  }
}

std::optional<Value> absent_value(const KnownAttribute& known) {
  switch (known.absent) {
    case Absent::neutral_list:
      return std::vector<std::int64_t>();
    case Absent::number:
      return static_cast<std::int64_t>(known.number);
    case Absent::real:
      return static_cast<float>(known.number);
    case Absent::word:
      return std::string(known.text);
    case Absent::unknown:
      break;
  }
  return {};
}

std::optional<Value> value_of(const Node& node, std::string_view key) {
  const Attribute* found = said(node, std::string(key));
  if (found == nullptr) return {};
  if (const auto* number = std::get_if<std::int64_t>(found)) return Value(*number);
  if (const auto* real = std::get_if<float>(found)) return Value(*real);
  if (const auto* text = std::get_if<std::string>(found)) return Value(*text);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(found)) return Value(*list);
  return {};
}

/// Whether two axes may be the same: one is counted from the end, the other one is not.
bool may_be_one_axis(const Value& a, const Value& b) {
  const auto* of_a = std::get_if<std::int64_t>(&a);
  const auto* of_b = std::get_if<std::int64_t>(&b);
  return of_a == nullptr || of_b == nullptr || (*of_a < 0) != (*of_b < 0);
}

/// Lists: one that is empty holds nothing but the neutral number, 0 of pads and 1 of all others.
bool are_equal(const Value& a, const Value& b, std::int64_t neutral) {
  const auto* of_a = std::get_if<std::vector<std::int64_t>>(&a);
  const auto* of_b = std::get_if<std::vector<std::int64_t>>(&b);
  if (of_a != nullptr && of_b != nullptr && of_a->empty() != of_b->empty()) {
    return std::ranges::all_of(of_a->empty() ? *of_b : *of_a,
                               [&](std::int64_t number) { return number == neutral; });
  }
  const auto* real_a = std::get_if<float>(&a);
  const auto* real_b = std::get_if<float>(&b);
  if (real_a != nullptr && real_b != nullptr)
    return std::abs(*real_a - *real_b) <= 1e-6F * std::abs(*real_a);
  return a.index() != b.index() || a == b;
}

Figure figure_of(const Value& value) {
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
    return figure::wholes(*list);
  if (const auto* real = std::get_if<float>(&value)) return figure::number(*real);
  if (const auto* word = std::get_if<std::string>(&value)) return figure::text(*word);
  return figure::whole(std::get<std::int64_t>(value));
}

bool is_empty(const Value& value) {
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  return list != nullptr && list->empty();
}

/// `neutral`: what an empty list holds throughout. REQUIRES: both are of one type.
Statement changed_attribute(std::string_view key, const Value& before, const Value& after,
                            std::int64_t neutral) {
  Statement changed{
      std::holds_alternative<float>(after) ? "changed_op.real_attribute" : "changed_op.attribute",
      {{"name", figure::text(key)}, {"is", figure_of(after)}, {"was", figure_of(before)}}};
  if (is_empty(before) || is_empty(after)) changed.figures["neutral"] = figure::whole(neutral);
  return changed;
}

bool pads_by_name(const Node& node) {
  const roles::Window* window = window_of(node);
  return window != nullptr && window->pads_to_fit;
}

}  // namespace

Statements changed_attributes(const Node& reference, const Node& quantized) {
  Statements changes;
  const std::optional<IntegerOp> integer = integer_op(quantized);
  const Kind kind = integer ? integer->computes : quantized.kind;
  if (kind != reference.kind) return changes;
  if (value_of(quantized, "channels_last").value_or(std::int64_t{0}) != Value(std::int64_t{0}))
    return changes;  // its lists are of other axes
  const bool by_name = pads_by_name(reference) || pads_by_name(quantized);
  for (const KnownAttribute& known : attributes_of(kind)) {
    const std::int64_t neutral = known.key == "pads" || known.key == "output_padding" ? 0 : 1;
    if (known.key == "pads" && by_name) continue;
    std::optional<Value> before = value_of(reference, known.key);
    std::optional<Value> after = value_of(quantized, known.key);
    if (!before) before = absent_value(known);
    if (!after) after = absent_value(known);
    if (!before || !after) continue;
    if (known.is_axis && may_be_one_axis(*before, *after)) continue;
    if (are_equal(*before, *after, neutral)) continue;
    changes.push_back(changed_attribute(known.key, *before, *after, neutral));
  }
  return changes;
}

}  // namespace quantlens
