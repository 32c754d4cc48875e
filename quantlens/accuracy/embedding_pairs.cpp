// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/embedding_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/correlation.h"
#include "quantlens/accuracy/kinds.h"
#include "quantlens/accuracy/metric_bytes.h"
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
    if (!is_second || !paired_up(half)) {
      if (waiting_) ends_.erase(*waiting_);  // its partner did not come
      if ((!is_second || !begun_) && !half.embedding.empty()) ends_[half.sample] = half;
    }
    waiting_.reset();
    if (!is_second) waiting_ = half.sample;
    begun_ = true;
  }
}

bool EmbeddingPairs::paired_up(const Half& half) {
  const auto partner = ends_.find(half.sample ^ 1U);
  if (partner == ends_.end()) return false;
  const bool is_second = half.sample % 2 == 1;
  const Half& first = is_second ? partner->second : half;
  const Half& second = is_second ? half : partner->second;
  if (first.score != second.score || first.embedding.size() != second.embedding.size()) {
    throw Error(Errc::bad_input,
                fmt::format("samples {} and {} are a pair for {}, and have unequal labels ({} "
                            "and {}) or embeddings; check the order of the samples",
                            first.sample, second.sample, metric_, first.score, second.score));
  }
  pairs_.push_back({.index = second.sample / 2,
                    .score = second.score,
                    .cosine = cosine(first.embedding, second.embedding)});
  ends_.erase(partner);
  return true;
}

std::string EmbeddingPairs::state() const {
  std::string out;
  append_varint(out, pairs_.size());
  for (const Pair& pair : pairs_) {
    append_varint(out, pair.index);
    append_double(out, pair.score);
    append_double(out, pair.cosine);
  }
  append_varint(out, ends_.size());
  for (const auto& [sample, half] : ends_) {
    append_varint(out, sample);
    append_double(out, half.score);
    append_varint(out, half.embedding.size());
    for (const double number : half.embedding) append_double(out, number);
  }
  return out;
}

void EmbeddingPairs::merge(std::string_view state, const SampleSet& samples) {
  const State part = take_state(state, samples);
  refuse_rest(state);
  pairs_.insert(pairs_.end(), part.pairs.begin(), part.pairs.end());
  for (const Half& half : part.ends) {
    if (!paired_up(half)) ends_[half.sample] = half;
  }
  std::ranges::sort(pairs_, {}, &Pair::index);
  begun_ = true;
  waiting_.reset();
}

EmbeddingPairs::State EmbeddingPairs::take_state(std::string_view& in, const SampleSet& samples) {
  constexpr std::size_t kLeastPair = 1 + 2 * sizeof(double);
  constexpr std::size_t kLeastHalf = 1 + sizeof(double) + 1;
  State state;
  std::set<std::uint64_t> indices;
  const auto take_sample = [&](std::uint64_t sample, std::uint64_t partner) {
    if (!samples.contains(sample) || !samples.contains(partner)) {
      refuse_bytes("an embedding is of no sample that was scored");
    }
    if (!indices.insert(sample / 2).second) refuse_bytes("a pair of samples is there twice");
  };
  const auto take_score = [&] {
    const double score = take_double(in);
    if (!std::isfinite(score)) refuse_bytes("a score is no number");
    return score;
  };
  for (std::size_t left = take_count(in, kLeastPair); left > 0; --left) {
    Pair pair{.index = take_varint(in), .score = take_score(), .cosine = take_score()};
    if (pair.index >> 62U != 0) refuse_bytes("a pair's index is too large");
    take_sample(2 * pair.index, 2 * pair.index + 1);
    state.pairs.push_back(pair);
  }
  for (std::size_t left = take_count(in, kLeastHalf); left > 0; --left) {
    Half half{.sample = take_varint(in), .score = take_score(), .embedding = {}};
    take_sample(half.sample, half.sample);
    half.embedding.resize(take_count(in, sizeof(double)));
    for (double& number : half.embedding) number = take_double(in);
    state.ends.push_back(std::move(half));
  }
  return state;
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
