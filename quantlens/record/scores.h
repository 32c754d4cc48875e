// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/accuracy.h"

namespace quantlens {

/// A model's figure over the first `samples` samples, and what intervals of a difference are made
/// of.
struct PartFigure {
  std::uint64_t samples = 0;
  double value = 0;
  std::array<double, 2> bounds{};  ///< of any value
  std::vector<double> without;     ///< the value without each group of samples
};
BOOST_DESCRIBE_STRUCT(PartFigure, (), (samples, value, bounds, without))

/// What is kept of one model's answers, so that others can be paired with it without running it
/// again.
struct Scores {
  Accuracy accuracy;
  std::string right;              ///< of a rate: '1' or '0' a sample, in order of feeding
  std::vector<PartFigure> parts;  ///< of others: after some numbers of samples, the whole last
};
BOOST_DESCRIBE_STRUCT(Scores, (), (accuracy, right, parts))

}  // namespace quantlens
