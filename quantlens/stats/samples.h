// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens {

/// Statistics are kept apart for this many blocks of samples, by global sample index modulo this,
/// never by arrival, so that intervals (jackknife over blocks) can be computed later.
inline constexpr std::uint32_t kBlocks = 32;
inline std::uint32_t block_of(std::uint64_t sample) {
  return static_cast<std::uint32_t>(sample % kBlocks);
}

/// A set of global sample indices, kept as sorted disjoint ranges.
class SampleSet {
 public:
  struct Range {
    std::uint64_t first = 0, last = 0;  ///< inclusive
    bool operator==(const Range&) const = default;
  };
  void insert(std::uint64_t sample);
  bool contains(std::uint64_t sample) const;
  /// The first sample that is in both; absent where none is.
  std::optional<std::uint64_t> first_common(const SampleSet& other) const;
  void merge(const SampleSet& other);
  std::uint64_t size() const;
  const std::vector<Range>& ranges() const { return ranges_; }
  bool operator==(const SampleSet&) const = default;
  void append_to(std::string& out) const;
  static SampleSet take_from(std::string_view& in);

 private:
  std::vector<Range> ranges_;
};

/// The samples with the largest scores, at most kKept; ties go to the lower index, so the result
/// does not depend on order. Scores are finite and not negative; zero scores are not kept.
class WorstSamples {
 public:
  static constexpr std::size_t kKept = 8;
  struct Entry {
    std::uint64_t sample = 0;
    double score = 0;
    bool operator==(const Entry&) const = default;
  };
  void add(std::uint64_t sample, double score);
  void merge(const WorstSamples& other);
  const std::vector<Entry>& entries() const { return entries_; }  ///< worst first
  bool operator==(const WorstSamples&) const = default;
  void append_to(std::string& out) const;
  static WorstSamples take_from(std::string_view& in);

 private:
  std::vector<Entry> entries_;
};

}  // namespace quantlens
