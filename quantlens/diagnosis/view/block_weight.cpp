// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/block_weight.h"

#include "quantlens/graph/roles_of.h"

namespace quantlens {

std::optional<BlockReader> block_weight(const GraphIndex& index, const Node& node) {
  const auto* matrix = role<roles::BlockMatrix>(node);
  if (node.kind != Kind::matmul_blocks || matrix == nullptr) return std::nullopt;
  const Tensor* codes = index.constant(input_of(node, matrix->operands.codes));
  const Tensor* scales = index.constant(input_of(node, matrix->operands.scales));
  const std::string& zero_points = input_of(node, matrix->operands.zero_points);
  const bool has_zeros = !zero_points.empty();
  const Tensor* zeros = index.constant(zero_points);
  if (codes == nullptr || scales == nullptr || (has_zeros && zeros == nullptr)) return {};
  if (!is_float(scales->dtype())) return std::nullopt;
  Blocks blocks{.codes = *codes, .scales = to_float32(*scales), .zero_points = {}};
  if (zeros != nullptr) blocks.zero_points = *zeros;
  const Shape lines_and_length{matrix->outputs, matrix->inputs};
  return BlockReader::of(blocks, matrix->bits, matrix->block_size, lines_and_length);
}

}  // namespace quantlens
