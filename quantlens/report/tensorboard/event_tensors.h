// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/report/tensorboard/event_buckets.h"
#include "quantlens/report/tensorboard/event_names.h"

namespace quantlens {

/// What 8-bit codes of a tensor mean.
struct EventCodes {
  QParams params;
  bool is_signed = false;
};

/// A tensor that both networks have: its tag, and under which names its counts are kept.
struct EventTensor {
  std::string tag;  ///< "<op>/Output", "<op>/<parameter>"
  std::string reference, quantized;
  std::optional<EventCodes> codes;  ///< absent of floats, and where each channel has its own
};

/// Every compared activation in the order of the network, then every weight that both have. The
/// second result of an op is "<op>/Output_2" whether its first was compared or not: the network
/// alone tells what a tag means, so it is the same tensor in all runs of a search. A parameter is
/// called by the last part of its name ("weight" of "conv1.weight", also where that is a number
/// alone); several of one op with one name, or several quantized sides of one value, get "_2" and
/// so on. `names` REQUIRES: of `reference`.
std::vector<EventTensor> event_tensors(const Pairing& pairing, const GraphOutline& reference,
                                       const EventNames& names);

/// A tensor as the float network has it, and as codes mean it; nothing where it was not counted.
std::optional<EventBuckets> reference_buckets(const PairedStats& pair);
std::optional<EventBuckets> quantized_buckets(const PairedStats& pair,
                                              const std::optional<EventCodes>& codes);

}  // namespace quantlens
