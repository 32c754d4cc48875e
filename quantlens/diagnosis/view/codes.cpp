// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/codes.h"

#include <algorithm>

#include "quantlens/graph/roles_of.h"

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

/// Of a node without a zero point: that of the constant it dequantizes, or what it asks for.
DType declared_dtype(const GraphIndex& index, const Node& node) {
  const Tensor* stored = node.inputs.empty() ? nullptr : index.constant(node.inputs[0]);
  if (stored != nullptr && is_code(stored->dtype())) return stored->dtype();
  const auto* coding = role<roles::Coding>(node);
  return coding != nullptr && coding->codes == DType::int8 ? DType::int8 : DType::uint8;
}

}  // namespace

std::optional<Codes> codes_with(const GraphIndex& index, const CodeParams& from,
                                const std::string& tensor) {
  const Tensor* scale = index.constant(from.scale);
  if (!scale || scale->size() < 1 || !is_float(scale->dtype())) return std::nullopt;
  const bool has_zero = !from.zero_point.empty();
  const Tensor* zero = has_zero ? index.constant(from.zero_point) : nullptr;
  if (has_zero && (!zero || !is_code(zero->dtype()))) return std::nullopt;
  if (zero && zero->size() != scale->size() && zero->size() != 1) return std::nullopt;
  const Tensor scales = to_float32(*scale);
  const std::vector<std::int64_t> zeros = zero ? to_int64(*zero) : std::vector<std::int64_t>{0};
  Codes codes{.tensor = tensor,
              .scheme = {.dtype = zero ? zero->dtype() : from.dtype, .axis = {}},
              .params = {}};
  for (std::size_t i = 0; i < scales.data<float>().size(); ++i) {
    const std::int64_t zero_point = zeros[zeros.size() == 1 ? 0 : i];
    codes.params.push_back(
        {.scale = scales.data<float>()[i], .zero_point = static_cast<std::int32_t>(zero_point)});
  }
  const CodeRange limits = code_limits(codes.scheme.dtype);
  const std::int64_t middle = limits.min < 0 ? 0 : (limits.max + 1) / 2;
  codes.scheme.symmetric =
      std::ranges::all_of(codes.params, [&](const QParams& p) { return p.zero_point == middle; });
  if (codes.params.size() > 1) codes.scheme.axis = from.axis;
  return codes;
}

std::optional<Codes> codes_of(const GraphIndex& index, const Node& node, const std::string& tensor,
                              std::size_t rank) {
  const std::int64_t axis = axis_of(node).value_or(1);
  CodeParams from{.scale = scale_of(node),
                  .zero_point = zero_point_of(node),
                  .dtype = declared_dtype(index, node),
                  .axis = {}};
  from.axis = static_cast<int>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  return codes_with(index, from, tensor);
}

}  // namespace quantlens
