// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/pair_precisions.h"

#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/diagnosis/view/on_codes.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/names.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

class Teller {
 public:
  Teller(const FloatView& reference, const FloatView& quantized, const StructureMatch& match,
         const Capabilities& able)
      : view_(quantized), able_(able), types_(element_types(view_.index())) {
    for (std::size_t q = 0; q < match.ops.size(); ++q) {
      if (!match.ops[q]) continue;
      const Node& of = reference.node(reference.ops()[match.ops[q]->reference]);
      of_op_.emplace(op_id(of), &view_.ops()[q]);
    }
  }

  std::optional<Precision> of(const ValuePair& pair) const {
    if (pair.type == "Input") return std::nullopt;
    const FloatView::Op* last = maker(pair.quantized);
    const auto found = of_op_.find(pair.op.id);
    const FloatView::Op* first = found == of_op_.end() ? last : found->second;
    if (first == nullptr) return std::nullopt;
    return of(view_.node(*first), view_.node(last == nullptr ? *first : *last));
  }

 private:
  /// Another float format is none of the op's doing.
  const FloatView::Op* maker(const std::string& tensor) const {
    auto value = view_.value_of(tensor);
    while (value) {
      const auto producer = view_.values()[*value].producer;
      if (!producer) return nullptr;
      const FloatView::Op& op = view_.ops()[*producer];
      if (!casts_to_float(view_.node(op)) || op.operands.empty()) return &op;
      value = op.operands.front().value;
    }
    return nullptr;
  }

  Precision of(const Node& first, const Node& last) const {
    if (const auto* blocks = role<roles::BlockMatrix>(first)) {
      return blocks->bits <= 4 ? Precision::w4 : Precision::w8;
    }
    if (auto codes = precision_on_codes(view_.index(), able_, first, last)) return *codes;
    return gives_halves(first) ? Precision::fp16 : Precision::fp32;
  }

  bool gives_halves(const Node& node) const {
    if (node.outputs.empty()) return false;
    const auto type = types_.find(node.outputs.front());
    return type != types_.end() && type->second == DType::float16;
  }

  const FloatView& view_;
  const Capabilities& able_;
  std::unordered_map<std::string, DType> types_;
  std::unordered_map<std::string, const FloatView::Op*> of_op_;  ///< by id of the reference's
};

}  // namespace

void tell_precisions(const FloatView& reference, const FloatView& quantized,
                     const StructureMatch& match, const Capabilities& able, Pairing& pairing) {
  const Teller teller(reference, quantized, match, able);
  for (ValuePair& pair : pairing.pairs) pair.precision = teller.of(pair);
}

}  // namespace quantlens
