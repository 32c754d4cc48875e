// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/accuracy.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// What accuracy.json was made of: states of parts of the samples make the accuracy of all
/// (accuracy/evaluate.h).
struct AccuracyState {
  std::string metric;  ///< as `--metric` takes it, options included
  SampleSet samples;   ///< that were scored
  /// What the metric gathered of the float model (Metric::state); absent where one model alone was
  /// scored.
  std::optional<std::string> reference;
  std::string quantized;  ///< likewise of the other one; of one, whether it is quantized or not
  /// Of a rate of two models: samples that both answer right, neither, the reference alone, the
  /// other alone.
  std::uint64_t both_right = 0, both_wrong = 0, lost = 0, gained = 0;
  std::vector<Flip> flips;  ///< the first kFlipsKept in order of index
};

/// accuracy_state.bin (docs/format.md).
std::string to_bytes(const AccuracyState& state);

/// The reverse. Throws Errc::bad_input, naming `where`, for anything to_bytes cannot have written,
/// and Errc::unsupported for a newer version. What metrics gathered is not looked at.
AccuracyState accuracy_state_from_bytes(std::string_view bytes, std::string_view where);

}  // namespace quantlens
