// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/samples.h"

#include <algorithm>
#include <cmath>

#include "quantlens/stats/bytes.h"

namespace quantlens {

namespace {

// True where no index lies between the two ranges. REQUIRES: a begins no later than b.
bool joins(const SampleSet::Range& a, const SampleSet::Range& b) {
  return b.first <= a.last || b.first - a.last == 1;
}

// Worse first; of equal scores the lower index.
bool worse(const WorstSamples::Entry& a, const WorstSamples::Entry& b) {
  return a.score != b.score ? a.score > b.score : a.sample < b.sample;
}

// The first range that ends at `sample` or later.
auto reaching(const std::vector<SampleSet::Range>& ranges, std::uint64_t sample) {
  return std::partition_point(ranges.begin(), ranges.end(),
                              [&](const SampleSet::Range& range) { return range.last < sample; });
}

}  // namespace

void SampleSet::insert(std::uint64_t sample) {
  if (ranges_.empty() || sample > ranges_.back().last) {
    if (!ranges_.empty() && sample - ranges_.back().last == 1) {
      ranges_.back().last = sample;
    } else {
      ranges_.push_back({sample, sample});
    }
    return;
  }
  SampleSet one;
  one.ranges_.push_back({sample, sample});
  merge(one);
}

bool SampleSet::contains(std::uint64_t sample) const {
  const auto range = reaching(ranges_, sample);
  return range != ranges_.end() && range->first <= sample;
}

std::optional<std::uint64_t> SampleSet::first_common(const SampleSet& other) const {
  for (const Range& range : other.ranges_) {
    const auto mine = reaching(ranges_, range.first);
    if (mine != ranges_.end() && mine->first <= range.last)
      return std::max(mine->first, range.first);
  }
  return std::nullopt;
}

void SampleSet::merge(const SampleSet& other) {
  std::vector<Range> all;
  all.reserve(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
             std::back_inserter(all),
             [](const Range& a, const Range& b) { return a.first < b.first; });
  ranges_.clear();
  for (const Range& range : all) {
    if (!ranges_.empty() && joins(ranges_.back(), range)) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
}

std::uint64_t SampleSet::size() const {
  std::uint64_t size = 0;
  for (const Range& range : ranges_) size += range.last - range.first + 1;
  return size;
}

void SampleSet::append_to(std::string& out) const {
  append_varint(out, ranges_.size());
  std::uint64_t next = 0;  // the least index that the next range may begin with
  for (const Range& range : ranges_) {
    append_varint(out, range.first - next);
    append_varint(out, range.last - range.first);
    next = range.last + 2;
  }
}

SampleSet SampleSet::take_from(std::string_view& in) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  const std::size_t count = take_count(in, 2);
  SampleSet set;
  set.ranges_.reserve(count);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t skipped = take_varint(in);
    const std::uint64_t more = take_varint(in);
    if (skipped > kLimit || more > kLimit || next + skipped + more > kLimit) {
      refuse_bytes("a sample's index is too large");
    }
    set.ranges_.push_back({next + skipped, next + skipped + more});
    next = set.ranges_.back().last + 2;
  }
  return set;
}

void WorstSamples::add(std::uint64_t sample, double score) {
  if (!(score > 0)) return;
  const Entry entry{sample, score};
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), entry, worse);
  if (place == entries_.end() && entries_.size() == kKept) return;
  entries_.insert(place, entry);
  if (entries_.size() > kKept) entries_.pop_back();
}

void WorstSamples::merge(const WorstSamples& other) {
  for (const Entry& entry : other.entries_) add(entry.sample, entry.score);
}

void WorstSamples::append_to(std::string& out) const {
  append_varint(out, entries_.size());
  for (const Entry& entry : entries_) {
    append_varint(out, entry.sample);
    append_double(out, entry.score);
  }
}

WorstSamples WorstSamples::take_from(std::string_view& in) {
  const std::uint64_t count = take_varint(in);
  if (count > kKept) refuse_bytes("they keep more samples than there may be");
  WorstSamples worst;
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry;
    entry.sample = take_varint(in);
    entry.score = take_double(in);
    if (!(entry.score > 0) || !std::isfinite(entry.score)) refuse_bytes("a score is no number");
    if (!worst.entries_.empty() && worse(entry, worst.entries_.back())) {
      refuse_bytes("the worst samples are out of order");
    }
    worst.entries_.push_back(entry);
  }
  return worst;
}

}  // namespace quantlens
