// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/graph/model.h"
#include "quantlens/graph/order.h"

namespace quantlens {

/// A model with what is looked up in it: made once for a model, and handed on. It views the model,
/// which must outlive it unchanged.
struct Indexed {
  /// `computed`: values that are known to be constant though nodes compute them.
  Indexed(const Model& of, TensorMap computed);

  const Model& model;
  TensorMap constants;  ///< `computed`
  GraphIndex index;     ///< knows them
};

}  // namespace quantlens
