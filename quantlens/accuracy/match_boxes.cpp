// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/match_boxes.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace quantlens {
namespace {

constexpr std::size_t kMostDetections = 100;

double area(const Box& box) {
  return std::max(box.x2 - box.x1, 0.0) * std::max(box.y2 - box.y1, 0.0);
}

/// The overlaps of one image's boxes, and what is taken at one threshold.
class Matching {
 public:
  Matching(const std::vector<DetectedBox>& detected, const std::vector<TruthBox>& truth)
      : truth_(truth) {
    for (const DetectedBox& one : detected) {
      for (const TruthBox& object : truth) overlaps_.push_back(overlap(one.box, object));
    }
  }

  void start(double threshold) {
    threshold_ = threshold;
    taken_.assign(truth_.size(), false);
  }

  /// The object or crowd that the detection takes; of equal overlaps the last, as COCO has it.
  std::optional<std::size_t> take(std::size_t detection) {
    std::optional<std::size_t> best;
    double reached = threshold_;
    for (std::size_t t = 0; t < truth_.size(); ++t) {
      if (taken_[t]) continue;
      if (best && !truth_[*best].crowd && truth_[t].crowd) break;  // an object is better than any
      const double here = overlaps_[detection * truth_.size() + t];
      if (here < reached) continue;
      reached = here;
      best = t;
    }
    if (best && !truth_[*best].crowd) taken_[*best] = true;
    return best;
  }

 private:
  const std::vector<TruthBox>& truth_;
  std::vector<double> overlaps_;  // of each detection with each object
  double threshold_ = 0;
  std::vector<bool> taken_;
};

}  // namespace

double overlap(const Box& detected, const TruthBox& truth) {
  const Box shared{.x1 = std::max(detected.x1, truth.box.x1),
                   .y1 = std::max(detected.y1, truth.box.y1),
                   .x2 = std::min(detected.x2, truth.box.x2),
                   .y2 = std::min(detected.y2, truth.box.y2)};
  const double both = area(shared);
  const double all = area(detected) + (truth.crowd ? 0 : area(truth.box) - both);
  return all > 0 ? both / all : 0;
}

std::vector<BoxVerdict> match_boxes(std::vector<DetectedBox> detected, std::vector<TruthBox> truth,
                                    std::span<const double> thresholds) {
  std::ranges::stable_sort(detected, std::ranges::greater(), &DetectedBox::score);
  if (detected.size() > kMostDetections) detected.resize(kMostDetections);
  std::ranges::stable_sort(truth, std::ranges::less(), &TruthBox::crowd);
  std::vector<BoxVerdict> verdicts;
  verdicts.reserve(detected.size());
  for (const DetectedBox& one : detected) {
    verdicts.push_back({.score = one.score, .hit = 0, .ignored = 0});
  }
  Matching matching(detected, truth);
  for (std::size_t at = 0; at < thresholds.size(); ++at) {
    matching.start(thresholds[at]);
    const auto bit = static_cast<std::uint16_t>(1U << at);
    for (std::size_t d = 0; d < detected.size(); ++d) {
      const std::optional<std::size_t> found = matching.take(d);
      if (!found) continue;
      std::uint16_t& bits = truth[*found].crowd ? verdicts[d].ignored : verdicts[d].hit;
      bits = static_cast<std::uint16_t>(bits | bit);
    }
  }
  return verdicts;
}

double interpolated_precision(const std::vector<bool>& hits, std::uint64_t objects) {
  constexpr int kPoints = 100;  // steps between recall 0 and 1
  std::vector<double> recall;
  std::vector<double> precision;
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i]) ++found;
    recall.push_back(static_cast<double>(found) / static_cast<double>(objects));
    precision.push_back(static_cast<double>(found) / static_cast<double>(i + 1));
  }
  for (std::size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  double sum = 0;
  std::size_t at = 0;
  for (int point = 0; point <= kPoints; ++point) {
    const double wanted = point * (1.0 / kPoints);
    while (at < recall.size() && recall[at] < wanted) ++at;
    if (at == recall.size()) break;
    sum += precision[at];
  }
  return sum / (kPoints + 1);
}

}  // namespace quantlens
