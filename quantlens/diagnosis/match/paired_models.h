// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/indexed.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/pairing.h"

namespace quantlens {

/// Two models and what stands for what in them: what all that judges them looks things up in. It
/// views what it is made of, which must outlive it unchanged.
struct PairedModels {
  PairedModels(const Indexed& of_reference, const Indexed& of_quantized, const Pairing& of_both);

  const Indexed& reference;
  const Indexed& quantized;
  const Pairing& pairing;
  Prepared prepared;  ///< the reference with those ops folded that the quantized model has folded
};

}  // namespace quantlens
