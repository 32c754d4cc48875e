// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/constants.h"

#include <utility>

#include "quantlens/runtime/formats.h"

namespace quantlens {

TensorMap constant_values(const Model& model, std::uint64_t most_bytes) {
  return Formats().constants(model, most_bytes);
}

Indexed indexed(const Model& model) {
  return {model, constant_values(model)};
}

IndexedModel::IndexedModel(Model of)
    : model_(std::make_unique<const Model>(std::move(of))),
      indexed_(std::make_unique<const Indexed>(*model_, constant_values(*model_))) {}

}  // namespace quantlens
