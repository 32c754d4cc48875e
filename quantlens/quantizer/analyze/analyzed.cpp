// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/analyzed.h"

namespace quantlens {

Analyzed::Analyzed(const Indexed& of)
    : model(of.model),
      index(of.index),
      prepared(prepare(of.index, of.constants, capabilities_of(of.model.format))) {}

}  // namespace quantlens
