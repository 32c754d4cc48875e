// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "quantlens/graph/indexed.h"

namespace quantlens {

/// Values of the model's outermost graph that need nothing but constants, by name: what exporters
/// leave as Transpose, Cast, Identity, ConstantOfShape or arithmetic between a stored tensor and
/// the op that reads it. By the interpreter of the model's format; none where a format has no
/// interpreter. Only those that other nodes read. Whatever cannot be evaluated, or would take more
/// than `most_bytes` together, is left out; integer codes stay as they are.
TensorMap constant_values(const Model& model, std::uint64_t most_bytes = std::uint64_t{1} << 30U);

/// The model with these.
Indexed indexed(const Model& model);

/// A model of one's own with what is looked up in it; views of it stay valid when this is moved.
class IndexedModel {
 public:
  explicit IndexedModel(Model of);

  const Model& model() const { return *model_; }
  const Indexed& indexed() const { return *indexed_; }

 private:
  std::unique_ptr<const Model> model_;
  std::unique_ptr<const Indexed> indexed_;
};

}  // namespace quantlens
