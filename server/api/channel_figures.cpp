// SPDX-License-Identifier: Apache-2.0
#include "server/api/channel_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "quantlens/stats/pair_sums.h"

namespace quantlens::server {
namespace {

using Channel = ChannelMoments::Channel;

/// Sums of its pairs, as far as channels have them. `x` null: the reference's are not there.
PairSums sums_of(const Channel& error, const Channel* x) {
  return {.finite = error.finite,
          .nonfinite = error.nonfinite,
          .xx = x != nullptr ? x->sum_sq.value() : 0,
          .ee = error.sum_sq.value()};
}

void add_reference(std::span<const Channel> reference, std::span<const Channel> errors,
                   ChannelFigures& figures) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (auto* list :
       {&figures.min, &figures.max, &figures.mean, &figures.standard_deviation, &figures.sqnr_db})
    list->emplace().reserve(reference.size());
  for (std::size_t c = 0; c < reference.size(); ++c) {
    const Channel& x = reference[c];
    const bool is_empty = x.finite == 0;
    figures.min->push_back(is_empty ? kNone : x.min);
    figures.max->push_back(is_empty ? kNone : x.max);
    figures.mean->push_back(is_empty ? kNone : x.mean());
    figures.standard_deviation->push_back(is_empty ? kNone : std::sqrt(x.variance()));
    figures.sqnr_db->push_back(sums_of(errors[c], &x).sqnr_db());
  }
}

}  // namespace

ChannelFigures channel_figures(const PairedStats& pair, std::uint64_t offset, std::uint64_t limit) {
  ChannelFigures figures{.reference_name = pair.reference, .quantized_name = pair.quantized};
  figures.offset = offset;
  if (pair.channel_axis < 0) return figures;
  figures.axis = pair.channel_axis;
  for (const PairedChannelHistogram& one : pair.channel_histograms)
    figures.histograms.push_back(one.channel);
  const std::span all(pair.error_channels.channels());
  figures.total = all.size();
  const std::uint64_t begin = std::min<std::uint64_t>(offset, all.size());
  const std::uint64_t count = std::min<std::uint64_t>(limit, all.size() - begin);
  const std::span errors = all.subspan(begin, count);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    figures.channels.push_back(begin + c);
    figures.mse.push_back(sums_of(errors[c], nullptr).mse());
  }
  const std::span reference(pair.reference_channels.channels());
  if (!reference.empty()) add_reference(reference.subspan(begin, count), errors, figures);
  return figures;
}

}  // namespace quantlens::server
