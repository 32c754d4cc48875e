// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/dataset/reader.h"

namespace quantlens {

/// Spearman's correlation of the cosines between the embeddings of samples 2i and 2i + 1, and of
/// the scores that their labels give. Keeps 24 bytes a pair.
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

 private:
  struct Half {
    std::uint64_t sample = 0;
    double score = 0;
    std::vector<double> embedding;  ///< empty: there is none
  };
  Half half_of(const Batch& batch, std::size_t i, const TensorMap& outputs) const;

  std::string metric_, output_;
  Half first_;  // waits for its partner
  std::vector<Pair> pairs_;
};

}  // namespace quantlens
