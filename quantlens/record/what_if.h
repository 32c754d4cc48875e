// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/quant/params.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/recipe.h"

namespace quantlens {

/// What might be asked of an op's codes instead of what a diagnosed model has. Absent: as it is.
struct WhatIf {
  std::string value;           ///< of the reference: that of an activation's row
  std::string quantized;       ///< its quantized side; empty: the only one, or the first
  std::optional<Range> range;  ///< of the activation; goes before `activation.algorithm`
  TensorRecipe activation;     ///< of the op's result
  TensorRecipe weight;         ///< of the op's weight
};
BOOST_DESCRIBE_STRUCT(WhatIf, (), (value, quantized, range, activation, weight))

/// The local error of one op as it was measured, or as it is expected (docs/metrics.md).
struct LocalError {
  double mse = 0;
  double sqnr_db = 0;
  double rounding_mse = 0, clipping_mse = 0, weight_mse = 0;
};
BOOST_DESCRIBE_STRUCT(LocalError, (), (mse, sqnr_db, rounding_mse, clipping_mse, weight_mse))

/// How far an expectation is known. histogram: from counts of all elements; moments: from extremes
/// of channels, as if each were spread evenly inside them, or as if all channels were alike, so
/// that the figure is approximate; unknown: what is stored does not tell.
BOOST_DEFINE_ENUM_CLASS(KnownBy, histogram, moments, unknown)

/// What is expected of one change.
struct Expectation {
  OpRef op;
  std::string value;
  LocalError now;
  std::optional<LocalError> expected;  ///< absent where it is unknown
  KnownBy known_by = KnownBy::unknown;
  std::string reason;          ///< why it is unknown, a sentence's part; else empty
  std::optional<Range> range;  ///< of the activation's new codes
  std::optional<QParams> params;
  /// Of the outputs' error, by the op's share of it: what would be gone, below 0 what would come.
  std::optional<double> output_gain;
};
BOOST_DESCRIBE_STRUCT(Expectation, (),
                      (op, value, now, expected, known_by, reason, range, params, output_gain))

/// What is expected of several changes at once.
struct Expectations {
  std::vector<Expectation> changes;
  json::Value recipe;  ///< the fragment that asks for them; null where no recipe can
  /// The sum of the changes' gains, 0..1 of the outputs' error; absent where one of them is
  /// unknown. Errors of several ops do not quite add up.
  std::optional<double> output_gain;
};
BOOST_DESCRIBE_STRUCT(Expectations, (), (changes, recipe, output_gain))

}  // namespace quantlens
