// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/pair_stats.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

bool is_empty(const PairStats::Block& block) {
  return block.finite + block.nonfinite == 0;
}

/// Bit i: block i is not empty.
std::uint32_t present_in(const std::array<PairStats::Block, kBlocks>& blocks) {
  std::uint32_t present = 0;
  for (std::uint32_t i = 0; i < kBlocks; ++i) present |= is_empty(blocks[i]) ? 0u : 1u << i;
  return present;
}

void widen(PairStats::Extremes& extremes, const PairStats::Extremes& other) {
  extremes.min_x = std::min(extremes.min_x, other.min_x);
  extremes.max_x = std::max(extremes.max_x, other.max_x);
  extremes.min_y = std::min(extremes.min_y, other.min_y);
  extremes.max_y = std::max(extremes.max_y, other.max_y);
  extremes.max_abs_error = std::max(extremes.max_abs_error, other.max_abs_error);
}

void add_chunk(const ChunkPairs& chunk, PairStats::Block& block, PairStats::Extremes& extremes) {
  block.nonfinite += chunk.nonfinite;
  if (chunk.finite == 0) return;
  block.finite += chunk.finite;
  block.clipped += chunk.clipped;
  block.x.add(chunk.sum_x);
  block.xx.add(chunk.sum_xx);
  block.y.add(chunk.sum_y);
  block.yy.add(chunk.sum_yy);
  block.ee.add(chunk.sum_ee);
  widen(extremes, {.min_x = chunk.min_x,
                   .max_x = chunk.max_x,
                   .min_y = chunk.min_y,
                   .max_y = chunk.max_y,
                   .max_abs_error = chunk.max_abs_error});
}

void merge_block(PairStats::Block& block, const PairStats::Block& from) {
  block.finite += from.finite;
  block.nonfinite += from.nonfinite;
  block.clipped += from.clipped;
  block.x.merge(from.x);
  block.xx.merge(from.xx);
  block.y.merge(from.y);
  block.yy.merge(from.yy);
  block.ee.merge(from.ee);
}

/// Calls `chunk(first, count)` for each chunk of a sample and adds what it returns; gives the
/// sample's sum of squared errors.
template <class Chunk>
double add_chunks(std::size_t size, PairStats::Block& block, PairStats::Extremes& extremes,
                  const Chunk& chunk, const ChunkDone& done) {
  double squared_error = 0;
  for (std::size_t at = 0; at < size; at += kChunk) {
    const std::size_t count = std::min(kChunk, size - at);
    const ChunkPairs pairs = chunk(at, count);
    add_chunk(pairs, block, extremes);
    squared_error += pairs.sum_ee;
    if (done) done(at + count);
  }
  return squared_error;
}

}  // namespace

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const float> y,
                    ClipRange clip, const ChunkDone& done) {
  assert(x.size() == y.size());
  const auto chunk = [&](std::size_t at, std::size_t count) {
    return chunk_pairs(x.subspan(at, count), y.subspan(at, count), clip);
  };
  worst_.add(sample, add_chunks(x.size(), blocks_[block_of(sample)], extremes_, chunk, done));
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
                    Dequantize8 how, ClipRange clip) {
  add(sample, x, y, CodeReading{.how = how, .clip = clip}, ChunkDone());
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
                    CodeReading reading, const ChunkDone& done) {
  assert(x.size() == y.size());
  const auto chunk = [&](std::size_t at, std::size_t count) {
    return chunk_pairs(x.subspan(at, count), y.subspan(at, count), reading.how, reading.clip);
  };
  worst_.add(sample, add_chunks(x.size(), blocks_[block_of(sample)], extremes_, chunk, done));
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
                    Dequantize8 how, ClipRange clip) {
  add(sample, x, y, CodeReading{.how = how, .clip = clip}, ChunkDone());
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
                    CodeReading reading, const ChunkDone& done) {
  assert(x.size() == y.size());
  const auto chunk = [&](std::size_t at, std::size_t count) {
    return chunk_pairs(x.subspan(at, count), y.subspan(at, count), reading.how, reading.clip);
  };
  worst_.add(sample, add_chunks(x.size(), blocks_[block_of(sample)], extremes_, chunk, done));
}

template <class Code>
void PairStats::add_counted(std::uint64_t sample, const plain::PairSpan<Code>& pairs,
                            const PairHistograms& to) {
  assert(pairs.x.size() == pairs.y.size());
  Block& block = blocks_[block_of(sample)];
  double squared_error = 0;
  std::size_t at = 0;
  to.x.add_by(pairs.x, [&](std::span<const float> x, const BinCounters& bins) {
    CodeCounters codes;
    PairCounters counters{.bins = bins, .found = {}, .codes = &codes};
    const ChunkPairs chunk =
        chunk_pairs(x, pairs.y.subspan(at, x.size()), pairs.how, pairs.clip, counters);
    add_chunk(chunk, block, extremes_);
    squared_error += chunk.sum_ee;
    to.y.add(codes, CodeHistogram::flip<Code>());
    at += x.size();
    if (to.done) to.done(at);
    return counters.found;
  });
  worst_.add(sample, squared_error);
}

void PairStats::add_clipped(std::uint64_t sample, std::uint64_t count) {
  blocks_[block_of(sample)].clipped += count;
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::uint8_t> y,
                    CodeReading reading, const PairHistograms& to) {
  add_counted<std::uint8_t>(sample, {x, y, reading.how, reading.clip}, to);
}

void PairStats::add(std::uint64_t sample, std::span<const float> x, std::span<const std::int8_t> y,
                    CodeReading reading, const PairHistograms& to) {
  add_counted<std::int8_t>(sample, {x, y, reading.how, reading.clip}, to);
}

void PairStats::merge(const PairStats& other) {
  widen(extremes_, other.extremes_);
  worst_.merge(other.worst_);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (!is_empty(other.blocks_[i])) merge_block(blocks_[i], other.blocks_[i]);
  }
}

void PairStats::join_blocks() {
  Block all = total();
  blocks_.fill({});
  blocks_.front() = std::move(all);
}

PairStats::Block PairStats::total() const {
  Block total;
  for (const Block& block : blocks_) {
    if (!is_empty(block)) merge_block(total, block);
  }
  return total;
}

std::uint64_t PairStats::count() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.finite;
  return count;
}

std::uint64_t PairStats::nonfinite() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.nonfinite;
  return count;
}

void PairStats::append_to(std::string& out) const {
  append_float(out, extremes_.min_x);
  append_float(out, extremes_.max_x);
  append_float(out, extremes_.min_y);
  append_float(out, extremes_.max_y);
  append_float(out, extremes_.max_abs_error);
  worst_.append_to(out);
  append_u32(out, present_in(blocks_));
  for (const Block& block : blocks_) {
    if (is_empty(block)) continue;
    append_varint(out, block.finite);
    append_varint(out, block.nonfinite);
    append_varint(out, block.clipped);
    for (const ExactSum* sum : {&block.x, &block.xx, &block.y, &block.yy, &block.ee}) {
      sum->append_to(out);
    }
  }
}

PairStats PairStats::take_from(std::string_view& in) {
  PairStats stats;
  stats.extremes_.min_x = take_float(in);
  stats.extremes_.max_x = take_float(in);
  stats.extremes_.min_y = take_float(in);
  stats.extremes_.max_y = take_float(in);
  stats.extremes_.max_abs_error = take_float(in);
  stats.worst_ = WorstSamples::take_from(in);
  const std::uint32_t present = take_u32(in);
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    if ((present >> i & 1) == 0) continue;
    Block& block = stats.blocks_[i];
    block.finite = take_element_count(in);
    block.nonfinite = take_element_count(in);
    block.clipped = take_element_count(in);
    if (is_empty(block)) refuse_bytes("a block of samples is empty");
    if (block.clipped > block.finite) refuse_bytes("more values are clipped than there are");
    for (ExactSum* sum : {&block.x, &block.xx, &block.y, &block.yy, &block.ee}) {
      *sum = ExactSum::take_from(in);
    }
    check_sums(block.finite, block.x, block.xx);
    check_sums(block.finite, block.y, block.yy);
    check_sums(block.finite, block.ee, block.ee);
  }
  const Extremes& extremes = stats.extremes_;
  check_extremes(extremes.min_x, extremes.max_x, stats.count());
  check_extremes(extremes.min_y, extremes.max_y, stats.count());
  if (!(extremes.max_abs_error >= 0) || !std::isfinite(extremes.max_abs_error)) {
    refuse_bytes("the largest error is no number");
  }
  return stats;
}

void PairStats::append_errors_to(std::string& out) const {
  const std::uint32_t present = present_in(blocks_);
  append_u32(out, present);
  if (present == 0) return;
  for (const Block& block : blocks_) {
    if (is_empty(block)) continue;
    append_varint(out, block.finite);
    append_varint(out, block.nonfinite);
    block.xx.append_to(out);
    block.ee.append_to(out);
  }
  const Block all = total();
  all.x.append_to(out);
  all.y.append_to(out);
}

PairStats PairStats::take_errors_from(std::string_view& in) {
  PairStats stats;
  const std::uint32_t present = take_u32(in);
  if (present == 0) return stats;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    if ((present >> i & 1) == 0) continue;
    Block& block = stats.blocks_[i];
    block.finite = take_element_count(in);
    block.nonfinite = take_element_count(in);
    if (is_empty(block)) refuse_bytes("a block of samples is empty");
    block.xx = ExactSum::take_from(in);
    block.ee = ExactSum::take_from(in);
    check_sums(block.finite, block.xx, block.xx);
    check_sums(block.finite, block.ee, block.ee);
  }
  Block& first = stats.blocks_[static_cast<std::size_t>(std::countr_zero(present))];
  first.x = ExactSum::take_from(in);
  first.y = ExactSum::take_from(in);
  const ExactSum none;
  check_sums(stats.count(), first.x, none);
  check_sums(stats.count(), first.y, none);
  return stats;
}

}  // namespace quantlens
