// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/codes.h"

#include <algorithm>

namespace quantlens {
namespace {

bool is_code(DType dtype) {
  switch (dtype) {
    case DType::int4:
    case DType::uint4:
    case DType::int8:
    case DType::uint8:
    case DType::int16:
    case DType::uint16:
    case DType::int32:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Codes> codes_of(const GraphIndex& index, const Node& node, const std::string& tensor,
                              std::size_t rank) {
  const Tensor* scale = node.inputs.size() > 1 ? index.constant(node.inputs[1]) : nullptr;
  if (!scale || scale->size() < 1) return std::nullopt;
  const bool has_zero = node.inputs.size() > 2 && !node.inputs[2].empty();
  const Tensor* zero = has_zero ? index.constant(node.inputs[2]) : nullptr;
  if (has_zero && (!zero || zero->size() != scale->size() || !is_code(zero->dtype()))) {
    return std::nullopt;
  }
  const Tensor scales = to_float32(*scale);
  const std::vector<std::int64_t> zeros = zero ? to_int64(*zero) : std::vector<std::int64_t>();
  Codes codes{.tensor = tensor,
              .scheme = {.dtype = zero ? zero->dtype() : DType::uint8, .axis = {}},
              .params = {}};
  for (std::size_t i = 0; i < scales.data<float>().size(); ++i) {
    codes.params.push_back({.scale = scales.data<float>()[i],
                            .zero_point = zero ? static_cast<std::int32_t>(zeros[i]) : 0});
  }
  const CodeRange limits = code_limits(codes.scheme.dtype);
  const std::int64_t middle = limits.min < 0 ? 0 : (limits.max + 1) / 2;
  codes.scheme.symmetric =
      std::ranges::all_of(codes.params, [&](const QParams& p) { return p.zero_point == middle; });
  if (codes.params.size() > 1) {
    const std::int64_t axis = attribute_int(node, "axis", 1);
    codes.scheme.axis = static_cast<int>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }
  return codes;
}

}  // namespace quantlens
