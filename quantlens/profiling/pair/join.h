// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/profile.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

/// A profiled model: its file, the graph that the runtime ran, and the times of its nodes.
struct ProfiledModel {
  const Graph& file;
  const Graph& run;
  const ValueTypes& types;  ///< of the values of `run`
  const Profile& profile;   ///< quantlens's own: its positions are the nodes of `run`
};

/// The times of both models beside each other, by ops of the reference, the most lost first. Ops
/// share a row where a node of either runtime graph computes them together; an op that no node of
/// the quantized one computes was folded and shares that of its only reader. What converts is
/// charged to the op that causes it: a quantizer to the integer ops that read its codes, in equal
/// parts; a dequantizer to the op that made the codes, or, where these come from a quantizer, to
/// what made the floats before it; another layout to its reader. Each side's parts add up to its
/// profile's nodes_us; what belongs to no op is a row without ops.
std::vector<OpTime> join(const ProfiledModel& reference, const ProfiledModel& quantized,
                         const Pairing& pairing);

}  // namespace quantlens
