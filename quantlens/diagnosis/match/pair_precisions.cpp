// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/pair_precisions.h"

#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/diagnosis/view/on_codes.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

Precision stored_in(std::int64_t bits) {
  return bits <= 4 ? Precision::w4 : Precision::w8;
}

Precision stored_as(DType codes) {
  return stored_in(codes == DType::int4 || codes == DType::uint4 ? 4 : 8);
}

class Teller {
 public:
  Teller(const FloatView& reference, const FloatView& quantized, const Capabilities& able)
      : reference_(reference),
        view_(quantized),
        able_(able),
        types_(element_types(view_.index())) {}

  std::optional<Precision> of(const ValuePair& pair) const {
    const FloatView::Op* last = maker(view_, pair.quantized);
    const auto anchor = reference_.index().producer(pair.op.id);
    if (last == nullptr || !anchor) return std::nullopt;
    const Kind kind = reference_.index().graph().nodes[*anchor].kind;
    return of(first_of(*last, kind, pair.pattern.size()), *last);
  }

 private:
  static const FloatView::Op* maker(const FloatView& view, const std::string& tensor) {
    const auto value = view.value_of(tensor);
    const auto producer = value ? view.values()[*value].producer : std::nullopt;
    return producer ? &view.ops()[*producer] : nullptr;
  }

  /// The op that a pattern of `length` ops begins with, of which the model may have fewer: the
  /// nearest of that kind; the last one itself where there is none.
  const FloatView::Op& first_of(const FloatView::Op& last, Kind kind, std::size_t length) const {
    const FloatView::Op* op = &last;
    for (std::size_t i = 0; i < length && op != nullptr; ++i) {
      if (op->kind == kind) return *op;
      const bool has_data = !op->operands.empty() && op->operands.front().value;
      const auto before =
          has_data ? view_.values()[*op->operands.front().value].producer : std::nullopt;
      op = before ? &view_.ops()[*before] : nullptr;
    }
    return last;
  }

  Precision of(const FloatView::Op& first, const FloatView::Op& last) const {
    const Node& node = view_.node(first);
    if (const auto* blocks = role<roles::BlockMatrix>(node)) return stored_in(blocks->bits);
    if (auto codes = precision_on_codes(view_.index(), able_, node, view_.node(last))) {
      return *codes;
    }
    for (const FloatView::Operand& operand : first.operands) {
      if (!operand.constant) continue;
      const FloatView::Constant& constant = view_.constants()[*operand.constant];
      if (constant.codes) return stored_as(constant.codes->scheme.dtype);
    }
    return gives_halves(view_.node(last)) ? Precision::fp16 : Precision::fp32;
  }

  bool gives_halves(const Node& node) const {
    if (node.outputs.empty()) return false;
    const auto type = types_.find(node.outputs.front());
    return type != types_.end() && type->second == DType::float16;
  }

  const FloatView& reference_;
  const FloatView& view_;
  const Capabilities& able_;
  std::unordered_map<std::string, DType> types_;
};

}  // namespace

void tell_precisions(const FloatView& reference, const FloatView& quantized,
                     const Capabilities& able, Pairing& pairing) {
  const Teller teller(reference, quantized, able);
  for (ValuePair& pair : pairing.pairs) pair.precision = teller.of(pair);
}

}  // namespace quantlens
