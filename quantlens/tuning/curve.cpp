// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/curve.h"

#include <algorithm>
#include <tuple>

namespace quantlens {

Curve::Curve(std::vector<Point> seen) {
  std::ranges::sort(seen, {},
                    [](const Point& point) { return std::tie(point.elements, point.us); });
  for (auto begin = seen.begin(); begin != seen.end();) {
    const auto end = std::find_if(
        begin, seen.end(), [&](const Point& point) { return point.elements != begin->elements; });
    const auto middle = begin + (end - begin - 1) / 2;
    const auto other = begin + (end - begin) / 2;
    points_.push_back({begin->elements, (middle->us + other->us) / 2});
    begin = end;
  }
}

/// A few elements tell what a node costs at all, not what an element does.
double Curve::slope_past_the_end() const {
  constexpr double kEnough = 16384;
  constexpr double kCached = 0.3e-3;  // microseconds an element, read and written in the cache
  const Point& last = points_.back();
  return last.elements < kEnough ? kCached : last.us / last.elements;
}

double Curve::at(double elements) const {
  if (points_.empty()) return 0;
  const auto above = std::ranges::lower_bound(points_, elements, {}, &Point::elements);
  if (above == points_.begin()) return above->us;
  const Point& below = *std::prev(above);
  if (above == points_.end()) return below.us + (elements - below.elements) * slope_past_the_end();
  const double part = (elements - below.elements) / (above->elements - below.elements);
  return below.us + part * (above->us - below.us);
}

}  // namespace quantlens
