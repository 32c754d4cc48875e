// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/write_diagnosis.h"

#include "quantlens/report/tables.h"

namespace quantlens::flow {

void write_diagnosis(const Diagnosis& diagnosis, WorkloadWriter& workload) {
  workload.put(diagnosis);
  workload.write(exported::kActivations,
                 to_csv(activations_table(diagnosis, ActivationOrder::mse)));
  workload.write(exported::kWeights, to_csv(weights_table(diagnosis)));
}

}  // namespace quantlens::flow
