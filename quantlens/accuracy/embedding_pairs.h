// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/dataset/reader.h"

namespace quantlens {

/// Spearman's correlation of the cosines between the embeddings of samples 2i and 2i + 1, and of
/// the scores that their labels give. Keeps 24 bytes a pair, and of a part of the samples the
/// embeddings at both ends whose partners may be in other parts.
class EmbeddingPairs final : public Metric {
 public:
  struct Pair {
    std::uint64_t index = 0;  ///< i
    double score = 0;         ///< of the labels
    double cosine = 0;        ///< 0 where an embedding is all zero, or not finite
  };

  /// REQUIRES: spec is spearman_cosine.
  explicit EmbeddingPairs(const MetricSpec& spec);
  /// Samples in ascending order; one whose partner is missing counts nothing. Throws
  /// Errc::bad_input where a label is no number, or the two of a pair differ, and where an output
  /// does not fit; Errc::usage where the output must be named or is not there.
  void add(const Batch& batch, const TensorMap& outputs) override;
  /// Its groups are of pairs.
  MetricFigure figure() const override;
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::string state() const override;
  void merge(std::string_view state, const SampleSet& samples) override;

 private:
  struct Half {
    std::uint64_t sample = 0;
    double score = 0;
    std::vector<double> embedding;  ///< empty: there is none
  };
  struct State {
    std::vector<Pair> pairs;
    std::vector<Half> ends;
  };
  Half half_of(const Batch& batch, std::size_t i, const TensorMap& outputs) const;
  /// Makes a pair of it where its partner is there.
  bool paired_up(const Half& half);
  static State take_state(std::string_view& in, const SampleSet& samples);

  std::string metric_, output_;
  std::vector<Pair> pairs_;             // by index
  std::map<std::uint64_t, Half> ends_;  // without their partners, by sample
  bool begun_ = false;
  std::optional<std::uint64_t> waiting_;  // the sample in ends_ whose partner would come next
};

}  // namespace quantlens
