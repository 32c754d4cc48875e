// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantlens/accuracy/metric.h"

namespace quantlens {

// The kinds of metrics, each in a file of its own; for the table in metric.cpp, which has checked
// the options one by one. They throw Errc::usage where options do not go together.

std::unique_ptr<Metric> make_top(const MetricSpec& spec);       ///< top.cpp
std::unique_ptr<Metric> make_f1(const MetricSpec& spec);        ///< f1.cpp
std::unique_ptr<Metric> make_distance(const MetricSpec& spec);  ///< distance.cpp
/// average_precision.cpp
std::unique_ptr<Metric> make_average_precision(const MetricSpec& spec);
std::unique_ptr<Metric> make_spearman(const MetricSpec& spec);  ///< embedding_pairs.cpp

}  // namespace quantlens
