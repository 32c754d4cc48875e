// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/accuracy/metric.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/record/accuracy.h"

namespace quantlens {

/// Cosines between the embeddings of samples 2i and 2i + 1, and the score that their labels give.
/// Keeps 24 bytes a pair.
class EmbeddingPairs {
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
  void add(const Batch& batch, const TensorMap& outputs);
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

/// Spearman's correlation of cosines and scores, with its jackknife interval over pairs.
Accuracy correlation_of(const std::vector<EmbeddingPairs::Pair>& pairs, const std::string& metric);

/// 95 % interval of the second's correlation minus the first's, by the jackknife over pairs.
/// REQUIRES: the same pairs in the same order.
std::array<double, 2> paired_correlation_interval(const std::vector<EmbeddingPairs::Pair>& first,
                                                  const std::vector<EmbeddingPairs::Pair>& second);

}  // namespace quantlens
