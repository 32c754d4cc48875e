// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quantlens {

/// A rectangle by two of its corners; one whose second corner is not beyond the first has no area.
struct Box {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

/// What an image shows.
struct TruthBox {
  Box box;
  bool crowd = false;  ///< many objects in one box: found or not, it counts nothing
};

/// What a model says that it shows.
struct DetectedBox {
  Box box;
  double score = 0;
};

/// Shared area over the area of both; of a crowd over that of `detected` alone. 0 where there is no
/// area.
double overlap(const Box& detected, const TruthBox& truth);

/// At how many thresholds of overlap an average precision is taken at most.
inline constexpr std::size_t kMostOverlaps = 10;

/// What became of a detection at each threshold, a bit each.
struct BoxVerdict {
  double score = 0;
  std::uint16_t hit = 0;      ///< found an object that nothing before had found
  std::uint16_t ignored = 0;  ///< found a crowd
};

/// One class of one image, as COCO does it: detections by falling score (of equal ones in order),
/// 100 at most; each takes the object with the greatest overlap, if it reaches the threshold, that
/// no other has taken; else a crowd, which any number may take. Verdicts come in that order.
std::vector<BoxVerdict> match_boxes(std::vector<DetectedBox> detected, std::vector<TruthBox> truth,
                                    std::span<const double> thresholds);

/// The area under the curve of precision over recall, at 101 points of recall, each with the
/// greatest precision that is had at it or beyond. `hits` by falling score; of `objects` in all.
/// REQUIRES: objects > 0.
double interpolated_precision(const std::vector<bool>& hits, std::uint64_t objects);

}  // namespace quantlens
