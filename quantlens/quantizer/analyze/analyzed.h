// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/indexed.h"
#include "quantlens/quantizer/analyze/prepare.h"

namespace quantlens {

/// A float model made ready for planning: once for a model, and handed on. It views what it is made
/// of, which must outlive it unchanged.
struct Analyzed {
  explicit Analyzed(const Indexed& of);

  const Model& model;
  const GraphIndex& index;
  Prepared prepared;
};

}  // namespace quantlens
