// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/rounded_inputs.h"

#include <map>
#include <string>
#include <utility>

#include "quantlens/diagnosis/error/local_errors.h"

namespace quantlens {

TapSpec rounded_input_taps(const Pairing& pairing) {
  std::map<std::string, PairTap> of_values;  // of several sides the first with codes
  for (PairTap& tap : local_taps_for(pairing).pairs) {
    PairTap& own = of_values[tap.reference];
    if (!own.readers_params.empty()) continue;
    own.reference = own.quantized = tap.reference;
    own.histogram = false;
    own.sample_axis = tap.sample_axis;
    if (!tap.params || !tap.scheme) continue;
    own.readers_params = std::move(tap.channel_params);
    if (own.readers_params.empty()) own.readers_params.push_back(*tap.params);
    own.readers_scheme = *tap.scheme;
  }
  TapSpec spec;
  spec.local = true;
  for (auto& [value, tap] : of_values) spec.pairs.push_back(std::move(tap));
  return spec;
}

}  // namespace quantlens
