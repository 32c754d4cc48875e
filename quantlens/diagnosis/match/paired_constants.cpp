// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/paired_constants.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

bool has_weight(Kind kind) {
  return multiplies_by_weight(kind) || kind == Kind::batch_norm;
}

/// What a constant of the view means; nothing of blocks and of what is no float.
std::optional<Tensor> meaning(const FloatView::Constant& constant) {
  if (constant.stored == nullptr || constant.transposed || constant.blocks) return std::nullopt;
  if (is_float(constant.stored->dtype())) {
    const Tensor floats = to_float32(*constant.stored);
    if (!constant.codes) return floats;
    const Tensor codes = quantize(floats, constant.codes->params, constant.codes->scheme);
    return dequantize(codes, constant.codes->params, constant.codes->scheme.axis);
  }
  if (!constant.codes) return std::nullopt;
  return dequantize(aligned(*constant.stored), constant.codes->params, constant.codes->scheme.axis);
}

/// What is not finite in the reference is left out.
bool is_equal(const Tensor& before, const Tensor& after) {
  return std::ranges::equal(before.data<float>(), after.data<float>(),
                            [](float x, float y) { return x == y || !std::isfinite(x); });
}

class ConstantFinder {
 public:
  explicit ConstantFinder(const PairedModels& models)
      : index_(models.reference.index), view_(models.quantized.index) {}

  void find(const ValuePair& pair, std::vector<PairedConstant>& found) {
    const std::optional<std::size_t> number = index_.producer(pair.reference);
    if (!number || !seen_.insert(*number).second) return;
    const Node& node = index_.graph().nodes[*number];
    const std::optional<std::size_t> value = view_.value_of(pair.quantized);
    if (has_weight(node.kind) || !value || !view_.values()[*value].producer) return;
    const FloatView::Op& op = view_.ops()[*view_.values()[*value].producer];
    if (op.kind != node.kind || op.operands.size() != node.inputs.size()) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* before = index_.constant(node.inputs[i]);
      if (before == nullptr || !is_float(before->dtype()) || before->size() == 0) continue;
      if (!op.operands[i].constant) continue;
      std::optional<Tensor> after = meaning(view_.constants()[*op.operands[i].constant]);
      if (!after || after->size() != before->size()) continue;
      if (is_equal(to_float32(*before), *after)) continue;
      const auto values = after->data<float>();
      found.push_back(
          {.node = *number,
           .input = i,
           .value = pair.reference,
           .after = Tensor::from<float>(before->shape(), {values.begin(), values.end()})});
    }
  }

 private:
  const GraphIndex& index_;
  FloatView view_;
  std::set<std::size_t> seen_;
};

}  // namespace

std::vector<PairedConstant> paired_constants(const PairedModels& models) {
  ConstantFinder finder(models);
  std::vector<PairedConstant> found;
  for (const ValuePair& pair : models.pairing.pairs) {
    if (!pair.same_as) finder.find(pair, found);
  }
  return found;
}

}  // namespace quantlens
