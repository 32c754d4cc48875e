// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/pass_state.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "quantlens/stats/bytes.h"

// The bytes, all integers little-endian:
//   samples   as SampleSet::append_to
//   pairs     u64 how many, then each, sorted by (reference, quantized):
//             both names, PairStats::append_errors_to, channel axis (i32, -1: none), and where that
//             is not -1: ChannelMoments::append_means_to of the error
// Nothing follows.

namespace quantlens {
namespace {

std::tuple<std::string_view, std::string_view> key(const PairedStats& stats) {
  return {stats.reference, stats.quantized};
}

void append(const PairedStats& stats, PassBlocks blocks, std::string& out) {
  append_name(out, stats.reference);
  append_name(out, stats.quantized);
  PairStats pairs = stats.pairs;
  if (blocks == PassBlocks::joined) pairs.join_blocks();
  pairs.append_errors_to(out);
  append_u32(out, static_cast<std::uint32_t>(stats.channel_axis));
  if (stats.channel_axis >= 0) stats.error_channels.append_means_to(out);
}

PairedStats take_pair(std::string_view& in) {
  PairedStats stats;
  stats.reference = take_name(in);
  stats.quantized = take_name(in);
  stats.pairs = PairStats::take_errors_from(in);
  stats.channel_axis = static_cast<std::int32_t>(take_u32(in));
  if (stats.channel_axis < -1) refuse_bytes("a channel axis is negative");
  if (stats.channel_axis >= 0) stats.error_channels = ChannelMoments::take_means_from(in);
  return stats;
}

}  // namespace

void append_pass(const TapState& state, PassBlocks blocks, std::string& out) {
  std::vector<const PairedStats*> sorted;
  sorted.reserve(state.pairs.size());
  for (const PairedStats& pair : state.pairs) sorted.push_back(&pair);
  std::ranges::sort(sorted, {}, [](const PairedStats* pair) { return key(*pair); });
  state.samples.append_to(out);
  append_u64(out, sorted.size());
  for (const PairedStats* pair : sorted) append(*pair, blocks, out);
}

TapState pass_from(std::string_view in) {
  TapState state;
  state.samples = SampleSet::take_from(in);
  const std::uint64_t count = take_u64(in);
  for (std::uint64_t i = 0; i < count; ++i) {
    state.pairs.push_back(take_pair(in));
    if (i > 0 && key(state.pairs[i - 1]) >= key(state.pairs[i])) {
      refuse_bytes("its pairs are not sorted");
    }
  }
  if (!in.empty()) refuse_bytes("bytes follow its end");
  return state;
}

}  // namespace quantlens
