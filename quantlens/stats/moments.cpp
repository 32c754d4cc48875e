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

/// Refuses bytes whose mean extreme of samples lies outside the extremes of all, but for rounding.
void check_mean_extreme(double mean, float min, float max) {
  const auto rounded = static_cast<float>(mean);
  if (!(rounded >= min && rounded <= max)) refuse_bytes("a mean of extremes lies beyond them");
}

}  // namespace

void SampleExtremes::add(const ChunkMoments& chunk) {
  if (chunk.finite == 0) return;
  min = std::min(min, chunk.min);
  max = std::max(max, chunk.max);
}

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

void Moments::end_sample(const SampleExtremes& extremes) {
  if (extremes.min > extremes.max) return;
  ++samples_;
  sample_min_.add(extremes.min);
  sample_max_.add(extremes.max);
}

void Moments::add(std::uint64_t sample, std::span<const float> values) {
  SampleExtremes extremes;
  for (std::size_t at = 0; at < values.size(); at += kChunk) {
    const ChunkMoments chunk =
        chunk_moments(values.subspan(at, std::min(kChunk, values.size() - at)));
    add_chunk(sample, chunk);
    extremes.add(chunk);
  }
  end_sample(extremes);
}

void Moments::merge(const Moments& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  samples_ += other.samples_;
  sample_min_.merge(other.sample_min_);
  sample_max_.merge(other.sample_max_);
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

double Moments::mean_sample_min() const {
  return mean_of(samples_, sample_min_.value());
}

double Moments::mean_sample_max() const {
  return mean_of(samples_, sample_max_.value());
}

void Moments::append_to(std::string& out) const {
  append_float(out, min_);
  append_float(out, max_);
  append_varint(out, samples_);
  if (samples_ > 0) {
    sample_min_.append_to(out);
    sample_max_.append_to(out);
  }
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

void Moments::check_samples() const {
  if (samples_ > count() || (samples_ == 0) != (count() == 0)) {
    refuse_bytes("their samples do not fit their count");
  }
  if (samples_ == 0) return;
  check_mean_extreme(mean_sample_min(), min_, max_);
  check_mean_extreme(mean_sample_max(), min_, max_);
  if (mean_sample_min() > mean_sample_max()) refuse_bytes("extremes of samples are reversed");
}

Moments Moments::take_from(std::string_view& in) {
  Moments moments;
  moments.min_ = take_float(in);
  moments.max_ = take_float(in);
  moments.samples_ = take_element_count(in);
  if (moments.samples_ > 0) {
    moments.sample_min_ = ExactSum::take_from(in);
    moments.sample_max_ = ExactSum::take_from(in);
  }
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
  moments.check_samples();
  return moments;
}

}  // namespace quantlens
