// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/embedding_pairs.h"

#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/correlation.h"
#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/options.h"
#include "quantlens/accuracy/outputs.h"
#include "quantlens/base/error.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

using Pair = EmbeddingPairs::Pair;

double score_of(const Batch& batch, std::size_t i) {
  const Tensor& label = label_of(batch, i);
  if (label.size() == 1) {
    const double score = as_doubles(label).front();
    if (std::isfinite(score)) return score;
  }
  throw wrong_label(batch, i, "one finite number, the score of its pair");
}

double cosine(std::span<const double> a, std::span<const double> b) {
  double aa = 0;
  double bb = 0;
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  const double result = ab / std::sqrt(aa) / std::sqrt(bb);
  return std::isfinite(result) ? result : 0;
}

/// Of the pairs whose positions are given.
double correlation(const std::vector<Pair>& pairs, std::span<const std::size_t> kept) {
  std::vector<double> scores;
  std::vector<double> cosines;
  for (const std::size_t at : kept) {
    scores.push_back(pairs[at].score);
    cosines.push_back(pairs[at].cosine);
  }
  return spearman(scores, cosines);
}

}  // namespace

EmbeddingPairs::EmbeddingPairs(const MetricSpec& spec)
    : metric_(spec.name), output_(given_text(spec, "output").value_or("")) {}

EmbeddingPairs::Half EmbeddingPairs::half_of(const Batch& batch, std::size_t i,
                                             const TensorMap& outputs) const {
  const auto& [name, output] = chosen_output(outputs, metric_, output_);
  return {.sample = batch.samples.at(i),
          .score = score_of(batch, i),
          .embedding = as_doubles(part_of(name, output, i, batch.samples.size()))};
}

void EmbeddingPairs::add(const Batch& batch, const TensorMap& outputs) {
  for (std::size_t i = 0; i < batch.samples.size(); ++i) {
    Half half = half_of(batch, i, outputs);
    const bool is_second = half.sample % 2 == 1;
    if (is_second && !first_.embedding.empty() && first_.sample + 1 == half.sample) {
      if (first_.score != half.score || first_.embedding.size() != half.embedding.size()) {
        throw Error(Errc::bad_input,
                    fmt::format("samples {} and {} are a pair for {}, and have unequal labels ({} "
                                "and {}) or embeddings; check the order of the samples",
                                first_.sample, half.sample, metric_, first_.score, half.score));
      }
      pairs_.push_back({.index = half.sample / 2,
                        .score = half.score,
                        .cosine = cosine(first_.embedding, half.embedding)});
    }
    first_.embedding.clear();
    if (!is_second) first_ = std::move(half);
  }
}

MetricFigure EmbeddingPairs::figure() const {
  const auto of_these = [&](std::span<const std::size_t> kept) {
    return correlation(pairs_, kept);
  };
  std::vector<std::size_t> all(pairs_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {.value = of_these(all),
          .samples = 2 * pairs_.size(),
          .bounds = {-1, 1},
          .right = {},
          .without = without_each(pairs_.size(), of_these)};
}

std::unique_ptr<Metric> make_spearman(const MetricSpec& spec) {
  return std::make_unique<EmbeddingPairs>(spec);
}

}  // namespace quantlens
