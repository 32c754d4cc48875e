// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/replaced_ops.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "quantlens/diagnosis/match/named_ops.h"
#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/compare_nodes.h"

namespace quantlens {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kPools = {"AveragePool", "MaxPool", "LpPool"};
constexpr std::array<std::string_view, 3> kGlobalPools = {"GlobalAveragePool", "GlobalMaxPool",
                                                          "GlobalLpPool"};
constexpr std::array<std::string_view, 9> kReductions = {
    "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMin", "ReduceMean", "ReduceProd",   "ReduceSum"};
constexpr std::array<std::string_view, 7> kBinary = {"Add", "Sub", "Mul", "Div",
                                                     "Max", "Min", "Pow"};
constexpr std::array<std::string_view, 21> kCurves = {
    "Abs", "Cos",        "Elu",     "Erf",        "Exp",      "HardSigmoid", "LeakyRelu",
    "Log", "LogSoftmax", "Neg",     "Reciprocal", "Relu",     "Selu",        "Sigmoid",
    "Sin", "Sqrt",       "Softmax", "Softplus",   "Softsign", "Tanh",        "ThresholdedRelu"};
constexpr std::array<Words, 5> kFamilies = {kPools, kGlobalPools, kReductions, kBinary, kCurves};

bool is_binary(std::string_view type) {
  return std::ranges::find(kBinary, type) != kBinary.end();
}

/// Position of the family; nothing of functions that are not listed.
std::optional<std::size_t> family_of(std::string_view type) {
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    if (std::ranges::find(kFamilies[i], type) != kFamilies[i].end()) return i;
  }
  return {};
}

/// What is written for the other where one operand is constant: with its opposite or reciprocal.
bool are_inverse(std::string_view a, std::string_view b) {
  const auto is = [&](std::string_view x, std::string_view y) {
    return (a == x && b == y) || (a == y && b == x);
  };
  return is("Add", "Sub") || is("Mul", "Div");
}

/// The integers themselves, or how many they are.
Figure integers_figure(const Tensor& integers) {
  constexpr std::int64_t kMost = 8;
  if (integers.size() > kMost) return figure::count(static_cast<std::uint64_t>(integers.size()));
  const Tensor aligned_ones = aligned(integers);
  const auto values = aligned_ones.data<std::int64_t>();
  return figure::wholes({values.begin(), values.end()});
}

class ReplacementFinder {
 public:
  ReplacementFinder(const FloatView& reference, const FloatView& quantized,
                    const StructureMatch& match)
      : reference_(reference), quantized_(quantized), match_(match) {
    for (const auto& one : match.ops) {
      if (one) matched_.insert(one->reference);
    }
  }

  std::vector<ReplacedOp> run() {
    std::vector<ReplacedOp> found;
    for (std::size_t q = 0; q < quantized_.ops().size(); ++q) {
      const FloatView::Op& op = quantized_.ops()[q];
      const std::optional<std::size_t> r = counterpart(q);
      if (!r) continue;
      const FloatView::Op& before = reference_.ops()[*r];
      std::optional<Statement> how =
          match_.ops[q] ? other_integers(reference_.node(before), quantized_.node(op))
                        : difference(before, op);
      if (how) found.push_back({*r, *std::move(how)});
    }
    return found;
  }

 private:
  using Values = std::vector<std::size_t>;  // of the reference, by root

  /// The op of the reference that this one is matched with, or that has its name while neither is.
  std::optional<std::size_t> counterpart(std::size_t q) const {
    if (match_.ops[q]) return match_.ops[q]->reference;
    const std::optional<std::size_t> r = namesake(reference_, quantized_, q);
    return r && !matched_.contains(*r) ? r : std::nullopt;
  }

  /// What the values that the quantized model's op reads stand for; nothing where one is not known.
  std::optional<Values> values_read(const FloatView::Op& op) const {
    Values values;
    for (const FloatView::Operand& operand : op.operands) {
      if (!operand.value) continue;
      const std::size_t root = quantized_.values()[*operand.value].root;
      const auto& match = match_.values[root];
      const std::optional<std::size_t> value =
          match ? match->reference : named_alike(reference_, quantized_, *operand.value);
      if (!value) return {};
      values.push_back(reference_.values()[*value].root);
    }
    return values;
  }

  Values values_of(const FloatView::Op& op) const {
    Values values;
    for (const FloatView::Operand& operand : op.operands) {
      if (operand.value) values.push_back(reference_.values()[*operand.value].root);
    }
    return values;
  }

  std::optional<Statement> difference(const FloatView::Op& before,
                                      const FloatView::Op& after) const {
    const Node& node = reference_.node(before);
    const Node& other = quantized_.node(after);
    if (!is_of_own_set(node)) return {};
    const std::optional<Values> read = values_read(after);
    const Values wanted = values_of(before);
    if (!read || read->empty()) return {};
    const std::string_view type = plain_type(other);
    if (passes_on(other, *read, wanted) && is_binary(node.type)) return Statement{"left_out", {}};
    if (type != node.type) {
      const bool is_other = is_permuted(*read, wanted) && are_of_one_family(before, node, type);
      if (!is_other) return {};
      return Statement{"changed_op.replaced", {{"type", figure::text(type)}}};
    }
    if (*read != wanted) return other_order_of_inputs(after, *read, wanted);
    return other_integers(node, other);
  }

  /// Whether it gives one of two values that the reference's op reads.
  static bool passes_on(const Node& other, const Values& read, const Values& wanted) {
    return only_moves(other) && read.size() == 1 && wanted.size() == 2 &&
           std::ranges::find(wanted, read[0]) != wanted.end();
  }

  static bool is_permuted(const Values& a, const Values& b) {
    return a.size() == b.size() && std::ranges::is_permutation(a, b);
  }

  static bool are_of_one_family(const FloatView::Op& before, const Node& node,
                                std::string_view type) {
    const std::optional<std::size_t> family = family_of(node.type);
    if (!family || family != family_of(type)) return false;
    const bool has_constant = std::ranges::any_of(
        before.operands, [](const FloatView::Operand& operand) { return !!operand.constant; });
    return !has_constant || !are_inverse(node.type, type);
  }

  static std::optional<Statement> other_order_of_inputs(const FloatView::Op& after,
                                                        const Values& read, const Values& wanted) {
    if (commutes(after) || !is_permuted(read, wanted)) return {};
    return Statement{"changed_op.inputs_reordered", {}};
  }

  /// Bounds and places that are constants; not of Reshape and the like, whose shapes have several
  /// spellings.
  std::optional<Statement> other_integers(const Node& node, const Node& other) const {
    if (node.kind != Kind::slice && node.kind != Kind::pad && node.kind != Kind::gather) return {};
    for (std::size_t i = 1; i < std::min(node.inputs.size(), other.inputs.size()); ++i) {
      const Tensor* before = reference_.index().constant(node.inputs[i]);
      const Tensor* after = quantized_.index().constant(other.inputs[i]);
      if (before == nullptr || after == nullptr || before->dtype() != DType::int64) continue;
      if (after->dtype() != DType::int64) continue;
      if (std::ranges::equal(before->bytes(), after->bytes())) continue;
      return Statement{"changed_op.integers",
                       {{"input", figure::count(i + 1)},
                        {"is", integers_figure(*after)},
                        {"was", integers_figure(*before)}}};
    }
    return {};
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const StructureMatch& match_;
  std::set<std::size_t> matched_;  // ops of the reference
};

}  // namespace

std::vector<ReplacedOp> replaced_ops(const FloatView& reference, const FloatView& quantized,
                                     const StructureMatch& match) {
  return ReplacementFinder(reference, quantized, match).run();
}

}  // namespace quantlens
