// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/progress.h"
#include "quantlens/graph/model.h"

namespace quantlens::flow {

/// The two that run in lockstep.
struct ModelPair {
  const Model& reference;
  const Model& quantized;
};

/// Two models in operators of one version, as far as that can be had: themselves where they are,
/// else upgraded (session.h).
class AlignedModels {
 public:
  /// REQUIRES: the models outlive this.
  AlignedModels(const ModelPair& models, Progress& progress);
  bool are_upgraded() const { return are_upgraded_; }
  ModelPair pair() const;

 private:
  ModelPair models_;
  bool are_upgraded_;
  Model reference_, quantized_;  // where they are
};

}  // namespace quantlens::flow
