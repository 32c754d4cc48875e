// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/local_errors.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "quantlens/diagnosis/error/local_parts.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/view/gathered.h"
#include "quantlens/graph/order.h"
#include "quantlens/stats/pair_intervals.h"

namespace quantlens {
namespace {

using Names = std::pair<std::string, std::string>;  // of the reference, of the quantized side

/// Sum of squares of what is constant in each channel, over the sum of all.
double shift_share(const PairedStats& stats) {
  const double mean = stats.pairs.mean_x() - stats.pairs.mean_y();
  const auto count = static_cast<double>(stats.pairs.count());
  const double all = stats.pairs.mse() * count;
  double constant = 0;
  for (const ChannelMoments::Channel& channel : stats.error_channels.channels()) {
    constant += channel.mean() * channel.mean() * static_cast<double>(channel.finite);
  }
  if (stats.error_channels.channels().empty()) constant = mean * mean * count;
  return all > 0 ? std::min(1.0, constant / all) : 0;
}

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
    pair.channel_histograms.clear();
  }
  return spec;
}

SharesWithout add_local_errors(const Graph& reference, const Pairing& pairing,
                               const GatheredErrors& gathered, Diagnosis& diagnosis) {
  for (ActivationRow& row : diagnosis.activations) {
    const PairedStats* stats = gathered_of(gathered.local, row.value, row.quantized);
    if (stats == nullptr || stats->pairs.count() == 0) continue;
    const PairIntervals intervals(stats->pairs);
    row.local_mse = intervals.sums().mse();
    row.local_sqnr_db = intervals.sums().sqnr_db();
    row.local_sqnr_db_interval = intervals.sqnr_db_interval();
    row.shift_share = shift_share(*stats);
  }
  diagnosis.local_samples = gathered.local.samples.size();
  const GraphIndex index(reference);
  add_local_parts(index, pairing, gathered, diagnosis);
  return add_output_shares(index, gathered.accumulated, gathered.local, diagnosis);
}

}  // namespace quantlens
