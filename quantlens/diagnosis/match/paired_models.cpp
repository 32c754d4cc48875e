// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/paired_models.h"

namespace quantlens {

PairedModels::PairedModels(const Indexed& of_reference, const Indexed& of_quantized,
                           const Pairing& of_both)
    : reference(of_reference),
      quantized(of_quantized),
      pairing(of_both),
      prepared(prepare_like(reference.index, reference.constants,
                            capabilities_of(reference.model.format),
                            {pairing.folded_ops.begin(), pairing.folded_ops.end()})) {}

}  // namespace quantlens
