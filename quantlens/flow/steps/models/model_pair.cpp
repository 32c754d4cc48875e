// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/model_pair.h"

#include "quantlens/flow/session.h"

namespace quantlens::flow {

AlignedModels::AlignedModels(const ModelPair& models, Progress& progress)
    : models_(models), are_upgraded_(!are_of_one_version(models.reference, models.quantized)) {
  if (!are_upgraded_) return;
  reference_ = upgraded(models.reference, progress);
  quantized_ = upgraded(models.quantized, progress);
}

ModelPair AlignedModels::pair() const {
  return are_upgraded_ ? ModelPair{reference_, quantized_} : models_;
}

}  // namespace quantlens::flow
