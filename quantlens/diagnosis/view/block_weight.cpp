// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/block_weight.h"

namespace quantlens {

std::optional<BlockReader> block_weight(const GraphIndex& index, const Node& node) {
  if (node.kind != Kind::matmul_blocks || node.inputs.size() < 3) return std::nullopt;
  const Tensor* codes = index.constant(node.inputs[1]);
  const Tensor* scales = index.constant(node.inputs[2]);
  const bool has_zeros = node.inputs.size() > 3 && !node.inputs[3].empty();
  const Tensor* zeros = has_zeros ? index.constant(node.inputs[3]) : nullptr;
  if (codes == nullptr || scales == nullptr || (has_zeros && zeros == nullptr)) return {};
  if (!is_float(scales->dtype())) return std::nullopt;
  Blocks blocks{.codes = *codes, .scales = to_float32(*scales), .zero_points = {}};
  if (zeros != nullptr) blocks.zero_points = *zeros;
  const Shape lines_and_length{attribute_int(node, "N", 0), attribute_int(node, "K", 0)};
  return BlockReader::of(blocks, attribute_int(node, "bits", 4),
                         attribute_int(node, "block_size", 0), lines_and_length);
}

}  // namespace quantlens
