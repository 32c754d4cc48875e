// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_constants.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/changes/gemm_factors.h"
#include "quantlens/diagnosis/match/compare_ops.h"
#include "quantlens/diagnosis/match/input_factors.h"
#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/tensor/strides.h"

namespace quantlens {
namespace {

constexpr std::size_t kReach = 6;  // ops between a factor and what takes it back

Tensor times(const Tensor& tensor, double factor) {
  const auto numbers = tensor.data<float>();
  std::vector<float> products(numbers.begin(), numbers.end());
  for (float& one : products) one = static_cast<float>(one * factor);
  return Tensor::from<float>(tensor.shape(), std::move(products));
}

Tensor with_swapped_axes(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  return rearranged(matrix, {columns, rows}, {1, columns});
}

/// Of a normalization: whether it is one of its vectors.
bool is_vector(const Node& node, std::size_t operand) {
  const auto* norm = role<roles::Normalization>(node);
  if (norm == nullptr) return false;
  const roles::NormalizationOperands& at = norm->operands;
  const bool is_of_all = operand == at.scale || operand == at.shift;
  return is_of_all ||
         (node.kind == Kind::batch_norm && (operand == at.mean || operand == at.variance));
}

/// Operands whose constants decide what the op computes. `node`: of the op, in the reference.
bool is_compared(const FloatView::Op& op, const Node& node, std::size_t operand) {
  switch (op.kind) {
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
    case Kind::pow:
    case Kind::prelu:
      return operand < 2;
    case Kind::batch_norm:
    case Kind::layer_norm:
    case Kind::instance_norm:
      return is_vector(node, operand);
    case Kind::gather:
      return operand == 0;
    default:
      return multiplies_by_weight(op.kind) && (operand == op.at.data || operand == op.at.weight);
  }
}

/// Whether a neighbour can take it back without anyone noticing.
bool may_be_taken_back(Difference difference) {
  return difference == Difference::output_factors || difference == Difference::input_factors ||
         difference == Difference::both_factors || difference == Difference::similar ||
         difference == Difference::other;
}

class Comparer {
 public:
  Comparer(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
           const StructureMatch& match)
      : reference_(reference),
        quantized_(quantized),
        prepared_(prepared),
        match_(match),
        computed_by_(reference.ops().size()) {
    for (std::size_t q = 0; q < match.ops.size(); ++q) {
      if (match.ops[q] && !computed_by_[match.ops[q]->reference] &&
          quantized.ops()[q].kind != Kind::other)
        computed_by_[match.ops[q]->reference] = q;
    }
  }

  std::vector<ChangedConstant> run() {
    for (std::size_t r = 0; r < computed_by_.size(); ++r) {
      if (computed_by_[r]) compare(r, *computed_by_[r]);
    }
    const auto similar = std::ranges::count_if(found_, [](const ChangedConstant& one) {
      return one.change.difference == Difference::similar;
    });
    const bool is_trained = 4 * static_cast<std::size_t>(similar) > compared_;
    // a bias whose mean was corrected takes no factor back
    std::erase_if(found_, [&](const ChangedConstant& one) { return is_corrected_bias(one); });
    std::set<std::size_t> changed;
    for (const ChangedConstant& one : found_) changed.insert(one.op);
    std::erase_if(found_, [&](const ChangedConstant& one) {
      const Difference difference = one.change.difference;
      if (is_trained && difference == Difference::similar) return true;
      if (difference == Difference::both_factors) return true;
      return may_be_taken_back(difference) && has_changed_neighbour(one.op, changed);
    });
    return std::move(found_);
  }

 private:
  const FloatView::Op& op(std::size_t r) const { return reference_.ops()[r]; }

  void compare(std::size_t r, std::size_t q) {
    const FloatView::Op& before = op(r);
    const FloatView::Op& after = quantized_.ops()[q];
    const bool is_swapped = match_.ops[q]->swapped;
    for (std::size_t i = 0; i < before.operands.size(); ++i) {
      if (!before.operands[i].constant || !is_compared(before, reference_.node(before), i))
        continue;
      const std::size_t at = is_swapped && i < 2 ? 1 - i : i;
      if (at >= after.operands.size() || !after.operands[at].constant) continue;
      compare_operand(r, i, q, at);
    }
  }

  void compare_operand(std::size_t r, std::size_t i, std::size_t q, std::size_t at) {
    const FloatView::Op& other = quantized_.ops()[q];
    const FloatView::Constant& stored = quantized_.constants()[*other.operands[at].constant];
    if (stored.stored == nullptr || stored.blocks || (other.accumulates && !stored.codes)) return;
    if (byte_size(stored.stored->dtype()) == 0) return;
    if (!stored.codes && !is_float(stored.stored->dtype())) return;
    const FloatView::Constant& plain = reference_.constants()[*op(r).operands[i].constant];
    if (plain.stored == nullptr || plain.codes || !is_float(plain.stored->dtype())) return;
    std::optional<Tensor> after = values_of(stored);
    std::optional<Tensor> before = values_of(plain);
    if (!after || !before) return;
    const Node& node = reference_.node(op(r));
    const Tensor* folded = constant_input(prepared_, reference_.index(), node, i);
    const bool is_folded = folded != nullptr && folded != plain.stored && is_float(folded->dtype());
    bool turned = stored.transposed;
    if (OpComparer::is_swapped(quantized_, other, at) !=
        OpComparer::is_swapped(reference_, op(r), i)) {
      if (after->shape().size() != 2) return;
      after = with_swapped_axes(*after);
      turned = !turned;
    }
    if (before->size() != after->size()) return;
    ++compared_;
    const auto factors = factors_of_weight(reference_, quantized_, match_, q, at);
    const auto divided = [&](const Tensor& weight) {
      if (!factors) return weight;
      return with_input_factors(node, i, weight, factors->factors, true).value_or(weight);
    };
    auto change = changed(divided(*before), *after, stored, turned, r);
    if (change && is_folded && folded->size() == after->size()) {
      auto other_change = changed(divided(to_float32(*folded)), *after, stored, turned, r);
      if (!other_change || may_be_taken_back(change->difference)) change = other_change;
    }
    if (change && i == op(r).at.weight && multiplies_by_weight(op(r).kind)) {
      const double ratio = alpha_ratio(node, quantized_.node(other));
      if (ratio != 1 && !changed(times(divided(*before), ratio), *after, stored, turned, r)) return;
    }
    if (change) found_.push_back({r, i, std::move(*change), stored.name});
  }

  std::optional<ChangedTensor> changed(const Tensor& before, const Tensor& after,
                                       const FloatView::Constant& stored, bool turned,
                                       std::size_t r) const {
    const Kind kind = op(r).kind;
    TensorSides sides{
        .before = before, .after = after, .output_axis = {}, .scheme = {}, .params = {}};
    std::optional<Tensor> reshaped;
    if (stored.codes) {
      sides.scheme = stored.codes->scheme;
      sides.params = stored.codes->params;
      if (turned && sides.scheme.axis) sides.scheme.axis = 1 - *sides.scheme.axis;
    }
    if (before.shape() != after.shape()) {
      if (sides.params.size() > 1 || multiplies_by_weight(kind)) return {};
      reshaped = after.reshaped(before.shape());
    }
    if (multiplies_by_weight(kind)) {
      sides.output_axis = output_channel_axis(reference_.node(op(r)), before.shape());
    }
    const TensorSides compared{.before = before,
                               .after = reshaped ? *reshaped : after,
                               .output_axis = sides.output_axis,
                               .scheme = sides.scheme,
                               .params = sides.params};
    return changed_tensor(compared);
  }

  /// A vector added behind a product, in which only a shift of the mean was corrected. That a few
  /// shifts are as their elements, so that one factor makes them, is no more than chance.
  bool is_corrected_bias(const ChangedConstant& one) const {
    constexpr std::int64_t kFew = 4;
    const Difference difference = one.change.difference;
    const FloatView::Op& add = op(one.op);
    const Tensor* stored = reference_.constants()[*add.operands[one.operand].constant].stored;
    const bool is_by_chance = difference == Difference::output_factors && stored->size() <= kFew;
    if (!is_by_chance && difference != Difference::similar && difference != Difference::other)
      return false;
    if (add.kind != Kind::add) return add.kind == Kind::batch_norm && one.operand == 2;
    const FloatView::Operand& data = add.operands[1 - one.operand];
    if (!data.value) return false;
    const auto producer = reference_.values()[reference_.values()[*data.value].root].producer;
    return producer && multiplies_by_weight(op(*producer).kind);
  }

  /// Whether an op within reach is changed too, has gone, or is new.
  bool has_changed_neighbour(std::size_t r, const std::set<std::size_t>& changed) const {
    std::set<std::size_t> seen{r};
    std::vector<std::size_t> border{r};
    for (std::size_t step = 0; step < kReach && !border.empty(); ++step) {
      std::vector<std::size_t> next;
      for (const std::size_t at : border) {
        if (at != r && multiplies_by_weight(op(at).kind)) continue;
        for (const std::size_t other : neighbours(at)) {
          if (!seen.insert(other).second) continue;
          if (changed.contains(other) || is_gone(other) || has_new_reader(other)) return true;
          next.push_back(other);
        }
      }
      border = std::move(next);
    }
    return has_new_reader(r);
  }

  std::vector<std::size_t> neighbours(std::size_t r) const {
    std::vector<std::size_t> found;
    for (const auto& output : op(r).outputs) {
      if (!output) continue;
      for (const FloatView::Reader& reader : reference_.values()[*output].readers)
        found.push_back(reader.op);
    }
    for (const FloatView::Operand& operand : op(r).operands) {
      if (operand.value && reference_.values()[*operand.value].producer)
        found.push_back(*reference_.values()[*operand.value].producer);
    }
    return found;
  }

  /// An op with a constant that nothing of the quantized model computes: it may be folded.
  bool is_gone(std::size_t r) const {
    if (computed_by_[r] || op(r).kind == Kind::clip || op(r).kind == Kind::relu) return false;
    if (prepared_folds(r)) return false;
    return std::ranges::any_of(
               op(r).operands,
               [](const FloatView::Operand& operand) { return operand.constant.has_value(); }) &&
           !only_moves(reference_.node(op(r)));
  }

  /// Batch norms whose Conv was compared after folding.
  bool prepared_folds(std::size_t r) const {
    return prepared_.folds.contains(op_id(reference_.node(op(r))));
  }

  /// Whether an op is a product with constants that were taken out of the weights behind it.
  bool is_taken_back(std::size_t q) const {
    const auto& outputs = quantized_.ops()[q].outputs;
    return !outputs.empty() && outputs[0] && input_factors(quantized_, match_.ops, *outputs[0]);
  }

  /// An op that the reference does not have reads or makes what this one's counterpart does.
  bool has_new_reader(std::size_t r) const {
    if (!computed_by_[r]) return false;
    const FloatView::Op& own = quantized_.ops()[*computed_by_[r]];
    const auto is_new = [&](std::size_t q) {
      const Kind kind = quantized_.ops()[q].kind;
      return !match_.ops[q] && !is_taken_back(q) &&
             (kind == Kind::mul || kind == Kind::div || kind == Kind::add || kind == Kind::sub ||
              kind == Kind::other);
    };
    for (const auto& output : own.outputs) {
      if (!output) continue;
      for (const FloatView::Reader& reader : quantized_.values()[*output].readers) {
        if (is_new(reader.op)) return true;
      }
    }
    return std::ranges::any_of(own.operands, [&](const FloatView::Operand& operand) {
      if (!operand.value) return false;
      const auto producer = quantized_.values()[*operand.value].producer;
      return producer && is_new(*producer);
    });
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const Prepared& prepared_;
  const StructureMatch& match_;
  std::vector<std::optional<std::size_t>> computed_by_;
  std::vector<ChangedConstant> found_;
  std::size_t compared_ = 0;
};

}  // namespace

std::vector<SharedChange> shared_changes(std::vector<ChangedConstant>&& changes) {
  std::vector<SharedChange> shared;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (ChangedConstant& one : changes) {
    const auto [at, is_new] = known.emplace(
        std::pair(one.stored, json::dump(json::encode(one.change.how))), shared.size());
    if (is_new) {
      shared.push_back({std::move(one), {}});
    } else {
      shared[at->second].others.push_back(one.op);
    }
  }
  return shared;
}

std::optional<Tensor> values_of(const FloatView::Constant& constant) {
  if (constant.stored == nullptr || constant.blocks) return {};
  Tensor values;
  if (constant.codes) {
    const Codes& codes = *constant.codes;
    const Shape& shape = constant.stored->shape();
    if (codes.params.size() > 1) {
      const auto axis = static_cast<std::size_t>(codes.scheme.axis.value_or(-1));
      if (axis >= shape.size() || shape[axis] != static_cast<std::int64_t>(codes.params.size()))
        return {};
    }
    const Tensor stored = constant.is_computed
                              ? quantize(to_float32(*constant.stored), codes.params, codes.scheme)
                              : aligned(*constant.stored);
    if (stored.dtype() != codes.scheme.dtype || stored.dtype() == DType::int32) return {};
    values = dequantize(stored, codes.params, codes.scheme.axis);
  } else if (is_float(constant.stored->dtype())) {
    values = to_float32(*constant.stored);
  } else {
    return {};
  }
  if (constant.transposed && values.shape().size() == 2) values = with_swapped_axes(values);
  return values;
}

std::vector<ChangedConstant> changed_constants(const FloatView& reference,
                                               const FloatView& quantized, const Prepared& prepared,
                                               const StructureMatch& match) {
  return Comparer(reference, quantized, prepared, match).run();
}

}  // namespace quantlens
