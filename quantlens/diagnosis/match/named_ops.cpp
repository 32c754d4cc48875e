// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/named_ops.h"

#include <string>

namespace quantlens {

std::string_view plain_type(const Node& node) {
  constexpr std::string_view kOnCodes = "QLinear";
  std::string_view type = node.type;
  if (type.starts_with(kOnCodes)) type.remove_prefix(kOnCodes.size());
  return type;
}

std::optional<std::size_t> named_alike(const FloatView& reference, const FloatView& quantized,
                                       std::size_t value) {
  for (const std::string& tensor : quantized.values()[value].floats) {
    if (const auto found = reference.value_of(tensor)) return found;
  }
  constexpr std::string_view kOfCodes = "_quantized";
  for (const CodeSide& side : quantized.values()[value].sides) {
    if (!side.tensor.ends_with(kOfCodes)) continue;
    const std::string plain = side.tensor.substr(0, side.tensor.size() - kOfCodes.size());
    if (const auto found = reference.value_of(plain)) return found;
  }
  return {};
}

std::optional<std::size_t> namesake(const FloatView& reference, const FloatView& quantized,
                                    std::size_t q) {
  const FloatView::Op& op = quantized.ops()[q];
  if (op.outputs.empty() || !op.outputs[0]) return {};
  const auto value = named_alike(reference, quantized, *op.outputs[0]);
  if (!value || reference.values()[*value].output != 0) return {};
  return reference.values()[*value].producer;
}

NamedOps::NamedOps(const FloatView& reference, const FloatView& quantized)
    : reference_(reference), quantized_(quantized), named_(reference.ops().size()) {
  for (std::size_t q = 0; q < quantized.ops().size(); ++q) {
    const std::optional<std::size_t> r = namesake(reference, quantized, q);
    if (!r || named_[*r]) continue;
    const bool is_one_type =
        plain_type(quantized.node(quantized.ops()[q])) == reference.node(reference.ops()[*r]).type;
    if (is_one_type) named_[*r] = q;
  }
}

bool NamedOps::reads(std::size_t reference, std::size_t operand, std::size_t value) const {
  if (!named_[reference]) return false;
  const FloatView::Op& op = quantized_.ops()[*named_[reference]];
  if (operand >= op.operands.size() || !op.operands[operand].value) return false;
  const std::size_t read = *op.operands[operand].value;
  return named_alike(reference_, quantized_, read) == value &&
         quantized_.values()[read].output == reference_.values()[value].output;
}

}  // namespace quantlens
