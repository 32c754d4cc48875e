// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/accuracy.h"

namespace quantlens {

/// An output of a float model against that of another. Formulas: docs/metrics.md.
struct OutputDifference {
  std::string output;
  double sqnr_db = 0;
  double cosine = 0;
  double max_abs_error = 0;
};
BOOST_DESCRIBE_STRUCT(OutputDifference, (), (output, sqnr_db, cosine, max_abs_error))

/// What editing the float model before it was quantized did to it.
struct FloatEdit {
  std::string model;          ///< file of the edited one, in the same folder; empty: not kept
  bool exact = true;          ///< it computes what the original does, up to the rounding of floats
  std::uint64_t samples = 0;  ///< that both were run over
  std::vector<OutputDifference> outputs;
  std::optional<Accuracy> accuracy;  ///< of the edited one
};
BOOST_DESCRIBE_STRUCT(FloatEdit, (), (model, exact, samples, outputs, accuracy))

}  // namespace quantlens
