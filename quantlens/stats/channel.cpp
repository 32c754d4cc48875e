// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/channel.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/bytes.h"
#include "quantlens/stats/kernels.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

using Channel = ChannelMoments::Channel;

void add_chunk(Channel& channel, const ChunkMoments& chunk) {
  channel.nonfinite += chunk.nan + chunk.inf;
  if (chunk.finite == 0) return;
  channel.finite += chunk.finite;
  channel.min = std::min(channel.min, chunk.min);
  channel.max = std::max(channel.max, chunk.max);
  channel.sum.add(chunk.sum);
  channel.sum_sq.add(chunk.sum_sq);
}

// One channel's run of neighbours, in chunks.
void add_long_run(Channel& channel, std::span<const float> run) {
  for (std::size_t at = 0; at < run.size(); at += kChunk) {
    add_chunk(channel, chunk_moments(run.subspan(at, std::min(kChunk, run.size() - at))));
  }
}

// Runs of a chunk at most, channel after channel from the first on.
void add_short_runs(std::span<Channel> channels, std::span<const float> values,
                    std::size_t length) {
  std::array<ChunkMoments, 64> moments;
  for (std::size_t at = 0; at < channels.size(); at += moments.size()) {
    const std::size_t count = std::min(moments.size(), channels.size() - at);
    run_moments(values.subspan(at * length, count * length), length,
                std::span(moments).first(count));
    for (std::size_t i = 0; i < count; ++i) add_chunk(channels[at + i], moments[i]);
  }
}

ChunkMoments column(const ColumnMoments& table, std::size_t c) {
  return {.sum = table.sum[c],
          .sum_sq = table.sum_sq[c],
          .min = table.min[c],
          .max = table.max[c],
          .finite = table.rows - table.nonfinite[c],
          .inf = table.nonfinite[c]};
}

bool share_a_count(const std::vector<Channel>& channels) {
  return std::ranges::all_of(
      channels, [&](const Channel& one) { return one.finite == channels.front().finite; });
}

}  // namespace

AxisLayout axis_layout(std::span<const std::int64_t> shape, int axis) {
  const auto rank = static_cast<int>(shape.size());
  const int at = axis < 0 ? axis + rank : axis;
  assert(at >= 0 && at < rank);
  AxisLayout layout;
  for (int i = 0; i < rank; ++i) {
    const auto extent = static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
    if (i < at) layout.outer *= extent;
    if (i == at) layout.channels = extent;
    if (i > at) layout.inner *= extent;
  }
  return layout;
}

double ChannelMoments::Channel::mean() const {
  return mean_of(finite, sum.value());
}

double ChannelMoments::Channel::variance() const {
  return variance_of(finite, sum.value(), sum_sq.value());
}

void ChannelMoments::expect(std::size_t channels) {
  if (channels_.empty()) channels_.resize(channels);
  if (channels_.size() != channels) {
    throw Error(Errc::bad_input,
                fmt::format("a tensor has {} channels where it had {} before; give the axis that "
                            "keeps its size",
                            channels, channels_.size()));
  }
}

void ChannelMoments::add(std::span<const ColumnMoments> tables) {
  for (const ColumnMoments& table : tables) expect(table.sum.size());
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    for (const ColumnMoments& table : tables) add_chunk(channels_[c], column(table, c));
  }
}

void ChannelMoments::add(std::span<const float> values, AxisLayout layout) {
  const std::size_t block = layout.channels * layout.inner;
  assert(values.size() == layout.outer * block);
  if (values.empty()) return;  // and allocate nothing for extents that hold nothing
  if (layout.is_table()) {
    ColumnMoments table(layout.channels);
    add_rows(values, table);
    add(std::span(&table, 1));
    return;
  }
  expect(layout.channels);
  if (layout.channels == 1) {
    add_long_run(channels_[0], values);
    return;
  }
  for (std::size_t at = 0; at < values.size(); at += block) {
    if (layout.inner <= kChunk) {
      add_short_runs(channels_, values.subspan(at, block), layout.inner);
      continue;
    }
    for (std::size_t c = 0; c < layout.channels; ++c) {
      add_long_run(channels_[c], values.subspan(at + c * layout.inner, layout.inner));
    }
  }
}

void ChannelMoments::merge(const ChannelMoments& other) {
  if (other.channels_.empty()) return;
  if (channels_.empty()) channels_.resize(other.channels_.size());
  if (channels_.size() != other.channels_.size()) {
    throw Error(Errc::bad_input,
                fmt::format("statistics of {} and of {} channels cannot be merged; they are not of "
                            "the same tensor",
                            channels_.size(), other.channels_.size()));
  }
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    Channel& channel = channels_[c];
    const Channel& from = other.channels_[c];
    channel.min = std::min(channel.min, from.min);
    channel.max = std::max(channel.max, from.max);
    channel.finite += from.finite;
    channel.nonfinite += from.nonfinite;
    channel.sum.merge(from.sum);
    channel.sum_sq.merge(from.sum_sq);
  }
}

void ChannelMoments::append_to(std::string& out) const {
  append_varint(out, channels_.size());
  for (const Channel& channel : channels_) {
    append_float(out, channel.min);
    append_float(out, channel.max);
    append_varint(out, channel.finite);
    append_varint(out, channel.nonfinite);
    channel.sum.append_to(out);
    channel.sum_sq.append_to(out);
  }
}

ChannelMoments ChannelMoments::take_from(std::string_view& in) {
  constexpr std::size_t kLeastBytes = 12;
  ChannelMoments moments;
  const std::size_t count = take_count(in, kLeastBytes);
  moments.channels_.reserve(count);
  for (std::size_t c = 0; c < count; ++c) {
    Channel channel;
    channel.min = take_float(in);
    channel.max = take_float(in);
    channel.finite = take_element_count(in);
    channel.nonfinite = take_element_count(in);
    check_extremes(channel.min, channel.max, channel.finite);
    channel.sum = ExactSum::take_from(in);
    channel.sum_sq = ExactSum::take_from(in);
    check_sums(channel.finite, channel.sum, channel.sum_sq);
    moments.channels_.push_back(std::move(channel));
  }
  return moments;
}

void ChannelMoments::append_means_to(std::string& out) const {
  append_varint(out, channels_.size());
  if (channels_.empty()) return;
  const bool is_shared = share_a_count(channels_);
  append_u8(out, is_shared ? 1 : 0);
  if (is_shared) append_varint(out, channels_.front().finite);
  for (const Channel& channel : channels_) {
    if (!is_shared) append_varint(out, channel.finite);
    channel.sum.append_to(out);
  }
}

ChannelMoments ChannelMoments::take_means_from(std::string_view& in) {
  ChannelMoments moments;
  const std::size_t count = take_count(in, 1);
  if (count == 0) return moments;
  const std::uint8_t form = take_u8(in);
  if (form > 1) refuse_bytes("channels have an unknown form");
  const std::uint64_t shared = form == 1 ? take_element_count(in) : 0;
  moments.channels_.reserve(count);
  const ExactSum none;
  for (std::size_t c = 0; c < count; ++c) {
    Channel channel;
    channel.finite = form == 1 ? shared : take_element_count(in);
    channel.sum = ExactSum::take_from(in);
    check_sums(channel.finite, channel.sum, none);
    moments.channels_.push_back(std::move(channel));
  }
  if (share_a_count(moments.channels_) != (form == 1)) refuse_bytes("channels have another form");
  return moments;
}

}  // namespace quantlens
