// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/workload.h"

namespace quantlens {

const ModelFile* file_of(const Workload& run, ModelRole role) {
  const ModelFile* found = nullptr;
  for (const ModelFile& model : run.models) {
    if (model.role == role) found = &model;
  }
  return found;
}

}  // namespace quantlens
