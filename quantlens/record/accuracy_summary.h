// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "quantlens/record/accuracy.h"
#include "quantlens/record/study.h"

namespace quantlens {

/// The two accuracies of a run, of one model as `quantized`.
struct AccuracySummary {
  std::string metric;
  std::optional<double> reference;
  std::optional<double> quantized;
  std::optional<double> difference;                          ///< quantized - reference
  std::optional<std::array<double, 2>> difference_interval;  ///< 95 %, paired, where it is known
  bool is_rate = true;
  bool higher_is_better = true;
};
BOOST_DESCRIBE_STRUCT(AccuracySummary, (),
                      (metric, reference, quantized, difference, difference_interval, is_rate,
                       higher_is_better))

AccuracySummary accuracy_summary(const AccuracyRecord& record);
/// Of the search's best trial; nothing where it has none that was scored.
std::optional<AccuracySummary> accuracy_summary(const Study& study);

}  // namespace quantlens
