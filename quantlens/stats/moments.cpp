// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/moments.h"

#include <algorithm>
#include <cmath>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/kernels.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

bool is_empty(const Moments::Block& block) {
  return block.finite + block.nan + block.inf == 0;
}

}  // namespace

void Moments::add_chunk(std::uint64_t sample, const ChunkMoments& chunk) {
  Block& block = blocks_[block_of(sample)];
  block.finite += chunk.finite;
  block.nan += chunk.nan;
  block.inf += chunk.inf;
  block.sum.add(chunk.sum);
  block.sum_sq.add(chunk.sum_sq);
  if (chunk.finite == 0) return;
  min_ = std::min(min_, chunk.min);
  max_ = std::max(max_, chunk.max);
}

void Moments::add(std::uint64_t sample, std::span<const float> values) {
  for (std::size_t at = 0; at < values.size(); at += kChunk) {
    add_chunk(sample, chunk_moments(values.subspan(at, std::min(kChunk, values.size() - at))));
  }
}

void Moments::merge(const Moments& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const Block& from = other.blocks_[i];
    if (is_empty(from)) continue;
    Block& block = blocks_[i];
    block.finite += from.finite;
    block.nan += from.nan;
    block.inf += from.inf;
    block.sum.merge(from.sum);
    block.sum_sq.merge(from.sum_sq);
  }
}

std::uint64_t Moments::count() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.finite;
  return count;
}

std::uint64_t Moments::nan_count() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.nan;
  return count;
}

std::uint64_t Moments::inf_count() const {
  std::uint64_t count = 0;
  for (const Block& block : blocks_) count += block.inf;
  return count;
}

double Moments::mean() const {
  ExactSum sum;
  for (const Block& block : blocks_) sum.merge(block.sum);
  return mean_of(count(), sum.value());
}

double Moments::variance() const {
  ExactSum sum;
  ExactSum sum_sq;
  for (const Block& block : blocks_) {
    sum.merge(block.sum);
    sum_sq.merge(block.sum_sq);
  }
  return variance_of(count(), sum.value(), sum_sq.value());
}

double Moments::standard_deviation() const {
  return std::sqrt(variance());
}

void Moments::append_to(std::string& out) const {
  append_float(out, min_);
  append_float(out, max_);
  std::uint32_t present = 0;
  for (std::uint32_t i = 0; i < kBlocks; ++i) present |= is_empty(blocks_[i]) ? 0u : 1u << i;
  append_u32(out, present);
  for (const Block& block : blocks_) {
    if (is_empty(block)) continue;
    append_varint(out, block.finite);
    append_varint(out, block.nan);
    append_varint(out, block.inf);
    block.sum.append_to(out);
    block.sum_sq.append_to(out);
  }
}

Moments Moments::take_from(std::string_view& in) {
  Moments moments;
  moments.min_ = take_float(in);
  moments.max_ = take_float(in);
  const std::uint32_t present = take_u32(in);
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    if ((present >> i & 1) == 0) continue;
    Block& block = moments.blocks_[i];
    block.finite = take_element_count(in);
    block.nan = take_element_count(in);
    block.inf = take_element_count(in);
    block.sum = ExactSum::take_from(in);
    block.sum_sq = ExactSum::take_from(in);
    if (is_empty(block)) refuse_bytes("a block of samples is empty");
    check_sums(block.finite, block.sum, block.sum_sq);
  }
  check_extremes(moments.min_, moments.max_, moments.count());
  return moments;
}

}  // namespace quantlens
