// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/quant/params.h"

namespace quantlens {

/// The range chosen for one value, and how.
struct ValueRange {
  std::string value;
  float min = 0;
  float max = 0;
  std::string algorithm;
  bool operator==(const ValueRange&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueRange, (), (value, min, max, algorithm))

/// Ranges of all calibrated values, sorted by value.
struct Ranges {
  std::uint64_t samples = 0;  ///< how many were looked at
  std::vector<ValueRange> values;
  /// Values with no finite element at all; they cannot be quantized.
  std::vector<std::string> empty;
  bool operator==(const Ranges&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ranges, (), (samples, values, empty))

}  // namespace quantlens
