// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/ones_for.h"

#include <vector>

namespace quantlens {

Batch ones_for(const Model& model) {
  const ValueInfo& input = model.graph.inputs.at(0);
  Shape shape;
  for (const Dim& dim : *input.shape) shape.push_back(dim.extent.value_or(1));
  const auto count = static_cast<std::size_t>(element_count(shape).value_or(0));
  Batch batch;
  batch.samples = {0};
  if (input.dtype == DType::uint8) {
    batch.inputs.emplace(input.name,
                         Tensor::from<std::uint8_t>(shape, std::vector<std::uint8_t>(count, 1)));
  } else {
    batch.inputs.emplace(input.name, Tensor::from<float>(shape, std::vector<float>(count, 1.0F)));
  }
  return batch;
}

}  // namespace quantlens
