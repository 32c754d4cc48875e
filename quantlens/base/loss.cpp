// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/loss.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {

double loss_of(double reference, double difference, bool higher_is_better, bool absolute) {
  if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
  if (difference == 0) return 0;
  const double lost = higher_is_better ? -difference : difference;
  return absolute ? lost : lost / std::abs(reference);
}

bool is_within_loss(double loss, double most) {
  constexpr double kRounding = 1e-12;
  return loss <= most + kRounding;
}

void check_allowed_loss(double most, bool higher_is_better, bool absolute) {
  if (absolute || !higher_is_better || most < 1) return;
  const std::string instead =
      most < 100 ? fmt::format("write {} or {}%", most / 100, most) : "write less than 1, or 100%";
  throw Error(Errc::usage,
              fmt::format("--max-loss {} lets all of the accuracy be lost; it is a share: {}", most,
                          instead));
}

}  // namespace quantlens
