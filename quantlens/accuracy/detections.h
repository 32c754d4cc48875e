// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/accuracy/match_boxes.h"
#include "quantlens/stats/jackknife.h"
#include "quantlens/stats/samples.h"

namespace quantlens {

/// What became of the detections of all classes in all images, and the mean average precision of
/// that. Of each detection 16 bytes are kept. Neither a split of the samples nor the order in which
/// parts are merged changes anything: of equal scores the lower sample comes first.
class Detections {
 public:
  /// `thresholds`: how many a verdict has bits of.
  explicit Detections(std::size_t thresholds) : thresholds_(thresholds) {}

  /// The verdicts of one class in one sample, and how many objects there are, crowds left out.
  /// Samples in ascending order. Throws Errc::bad_input where there are too many classes.
  void add(std::int64_t number, std::uint64_t sample, std::uint64_t objects,
           const std::vector<BoxVerdict>& verdicts);

  /// The mean over all thresholds, and all classes of which there are objects; first of all
  /// samples, then without those of each block of `samples`, which are all that were added.
  struct Means {
    double all = 0;
    std::vector<double> without;
  };
  Means means(const SampleBlocks& samples) const;

  void append_to(std::string& out) const;
  /// Adds what append_to wrote, from the front of `in`, of other samples, which are `samples`.
  /// Throws Errc::bad_input for bytes that append_to cannot have written of these.
  void merge_from(std::string_view& in, const SampleSet& samples);

 private:
  static constexpr unsigned kSampleBits = 44;  // with two bits a threshold they make one word
  struct Found {
    double score = 0;
    std::uint64_t sample : kSampleBits;
    std::uint64_t hit : kMostOverlaps;      ///< as BoxVerdict's
    std::uint64_t ignored : kMostOverlaps;  ///< likewise
  };
  struct Class {
    std::vector<Found> found;
    std::array<std::uint64_t, kBlocks> objects{};
  };

  Class& of_class(std::int64_t number);
  double mean_without(const std::map<std::int64_t, Class>& sorted, std::size_t left_out) const;
  Found take_found(std::string_view& in, std::uint64_t& sample, const SampleSet& samples) const;
  Class take_class(std::string_view& in, const SampleSet& samples) const;

  std::size_t thresholds_;
  std::map<std::int64_t, Class> classes_;
};

}  // namespace quantlens
