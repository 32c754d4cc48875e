// SPDX-License-Identifier: Apache-2.0
// Expected improvement under a Gaussian process (J. Snoek, H. Larochelle, R. Adams, "Practical
// Bayesian Optimization of Machine Learning Algorithms", 2012), with a kernel that falls with the
// number of choices that differ, over candidates drawn at random.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "quantlens/tuning/strategies/choices.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

double kernel(const Choices& a, const Choices& b) {
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1 : 0;
  constexpr double kLength = 3;  // choices
  return std::exp(-static_cast<double>(differ) / kLength);
}

struct Guess {
  double mean = 0, deviation = 0;
};

/// Losses seen so far, in units of their own spread, and what they say of other choices.
class Process {
 public:
  void add(Choices choices, double loss) {
    points_.push_back(std::move(choices));
    losses_.push_back(loss);
    fit();
  }

  Guess at(const Choices& choices) const {
    const std::size_t n = points_.size();
    std::vector<double> v(n);  // L v = k
    double mean = 0;
    double explained = 0;
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = kernel(choices, points_[i]);
      for (std::size_t j = 0; j < i; ++j) v[i] -= lower_[i][j] * v[j];
      v[i] /= lower_[i][i];
      explained += v[i] * v[i];
      mean += v[i] * weights_[i];
    }
    return {mean, std::sqrt(std::max(1 - explained, 0.0))};
  }

  /// How much below the least loss so far it may be expected to be.
  double improvement(const Choices& choices) const {
    const Guess guess = at(choices);
    if (guess.deviation == 0) return 0;
    const double z = (least_ - guess.mean) / guess.deviation;
    const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    return guess.deviation * (z * below + density);
  }

 private:
  /// Cholesky's decomposition of the kernel matrix, and L w = y.
  void fit() {
    constexpr double kNoise = 1e-3;
    const std::size_t n = points_.size();
    double mean = 0;
    for (const double loss : losses_) mean += loss / static_cast<double>(n);
    double variance = 0;
    for (const double loss : losses_)
      variance += (loss - mean) * (loss - mean) / static_cast<double>(n);
    const double spread = variance > 0 ? std::sqrt(variance) : 1;
    lower_.emplace_back();
    for (std::size_t j = 0; j < n; ++j) {
      double entry = kernel(points_[n - 1], points_[j]) + (j == n - 1 ? kNoise : 0);
      for (std::size_t k = 0; k < j; ++k) entry -= lower_[n - 1][k] * lower_[j][k];
      lower_[n - 1].push_back(j == n - 1 ? std::sqrt(entry) : entry / lower_[j][j]);
    }
    weights_.assign(n, 0);
    least_ = (*std::ranges::min_element(losses_) - mean) / spread;
    for (std::size_t i = 0; i < n; ++i) {
      weights_[i] = (losses_[i] - mean) / spread;
      for (std::size_t j = 0; j < i; ++j) weights_[i] -= lower_[i][j] * weights_[j];
      weights_[i] /= lower_[i][i];
    }
  }

  std::vector<Choices> points_;
  std::vector<double> losses_;
  std::vector<std::vector<double>> lower_;  ///< rows of L
  std::vector<double> weights_;
  double least_ = 0;
};

Choices most_promising(const Space& space, const Process& process, RandomNumbers& random) {
  constexpr int kCandidates = 256;
  Choices best;
  double most = -1;
  for (int i = 0; i < kCandidates; ++i) {
    Choices candidate = random_choices(space, random);
    const double improvement = process.improvement(candidate);
    if (improvement <= most) continue;
    most = improvement;
    best = std::move(candidate);
  }
  return best;
}

/// A model that cannot be run, or whose figure is no number, is as bad as can be said.
double shown_loss(const Trial& trial) {
  constexpr double kWorst = 1;
  return trial.accuracy && std::isfinite(trial.loss) ? std::min(trial.loss, kWorst) : kWorst;
}

}  // namespace

void tune_bayesian(Search& search) {
  constexpr int kRepeatsInARow = 20;
  const Space& space = search.task().space;
  RandomNumbers random(search.task().seed);
  Process process;
  Choices choices(dimensions_of(space).size(), 0);
  std::uint64_t last = 0;
  for (int repeats = 0; repeats < kRepeatsInARow;) {
    const auto trial = search.run({.recipe = recipe_of(search.task(), choices),
                                   .why = "where most improvement may be expected"});
    if (!trial || search.is_enough(*trial)) return;
    repeats = trial->number > last ? 0 : repeats + 1;
    if (trial->number > last) process.add(choices, shown_loss(*trial));
    last = std::max(last, trial->number);
    choices = most_promising(space, process, random);
  }
}

}  // namespace quantlens
