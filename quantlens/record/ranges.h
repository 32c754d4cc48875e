// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/quant/params.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// The range chosen for one value, and how.
struct ValueRange {
  std::string value;
  float min = 0;
  float max = 0;
  std::optional<RangeAlgorithm> algorithm = {};  ///< that gave the range; absent: none did
  std::optional<RangeAlgorithm> asked = {};      ///< that was asked for; auto_ asks several
  /// Expected squared error of quantizing the value so; absent where no histogram tells.
  std::optional<double> expected_mse = {};
  bool operator==(const ValueRange&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueRange, (), (value, min, max, algorithm, asked, expected_mse))

/// Ranges of all calibrated values, sorted by value.
struct Ranges {
  std::string model = {};     ///< as of a TapState: whose values these are; empty: not said
  std::uint64_t samples = 0;  ///< how many were looked at
  std::vector<ValueRange> values;
  /// Values without a usable range: no finite element, or masks alone are known; they cannot be
  /// quantized.
  std::vector<std::string> empty;
  /// Of values that are stored in 16 bits, for those codes; some stand among `values` as well, for
  /// their 8-bit ones.
  std::vector<ValueRange> wide;
  bool operator==(const Ranges&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ranges, (), (model, samples, values, empty, wide))

}  // namespace quantlens
