// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/local_errors.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "quantlens/diagnosis/pair.h"

namespace quantlens {
namespace {

using Names = std::pair<std::string, std::string>;  // of the reference, of the quantized side

}  // namespace

TapSpec local_taps_for(const Pairing& pairing) {
  std::set<Names> suspects;
  for (const SuspectPair& suspect : pairing.suspects) {
    suspects.emplace(suspect.value, suspect.quantized);
  }
  TapSpec spec = taps_for(pairing);
  spec.local = true;
  std::erase_if(spec.pairs, [&](const PairTap& pair) {
    return suspects.contains({pair.reference, pair.quantized});
  });
  for (PairTap& pair : spec.pairs) {
    pair.histogram = false;
    pair.channel_axis.reset();
    pair.channel_histograms.clear();
  }
  return spec;
}

void add_local_errors(const TapState& state, Diagnosis& diagnosis) {
  std::map<Names, const PairStats*> gathered;
  for (const PairedStats& stats : state.pairs) {
    gathered[{stats.reference, stats.quantized}] = &stats.pairs;
  }
  for (ActivationRow& row : diagnosis.activations) {
    const auto found = gathered.find({row.value, row.quantized});
    if (found == gathered.end() || found->second->count() == 0) continue;
    row.local_mse = found->second->mse();
    row.local_sqnr_db = found->second->sqnr_db();
  }
  diagnosis.local_samples = state.samples.size();
}

}  // namespace quantlens
