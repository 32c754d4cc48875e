// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/block_weight.h"

#include "quantlens/graph/roles_of.h"

namespace quantlens {

std::optional<BlockReader> block_weight(const GraphIndex& index, const Node& node) {
  const auto* matrix = role<roles::BlockMatrix>(node);
  if (node.kind != Kind::matmul_blocks || matrix == nullptr || node.inputs.size() < 3)
    return std::nullopt;
  const Tensor* codes = index.constant(node.inputs[1]);
  const Tensor* scales = index.constant(node.inputs[2]);
  const bool has_zeros = node.inputs.size() > 3 && !node.inputs[3].empty();
  const Tensor* zeros = has_zeros ? index.constant(node.inputs[3]) : nullptr;
  if (codes == nullptr || scales == nullptr || (has_zeros && zeros == nullptr)) return {};
  if (!is_float(scales->dtype())) return std::nullopt;
  Blocks blocks{.codes = *codes, .scales = to_float32(*scales), .zero_points = {}};
  if (zeros != nullptr) blocks.zero_points = *zeros;
  const Shape lines_and_length{matrix->outputs, matrix->inputs};
  return BlockReader::of(blocks, matrix->bits, matrix->block_size, lines_and_length);
}

}  // namespace quantlens
