// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// Random samples: for speed and shape checks, never for ranges or accuracy.
struct RandomOptions {
  std::uint64_t count = 100;
  std::uint64_t seed = 0;
  std::map<std::string, Shape> shapes;  ///< of a sample, where the model leaves extents open
};

/// Every sample depends on the seed and its index alone, on every machine. Floating-point inputs
/// are uniform in [-1,1), integers and booleans are 0 or 1 (valid as token ids and as a mask).
/// Throws Errc::bad_input naming `where` and an input whose shape is not known, and for shapes of
/// inputs that are not there.
std::unique_ptr<Dataset> make_random_dataset(const RandomOptions& options,
                                             const std::vector<InputSpec>& inputs,
                                             std::string_view where);

}  // namespace quantlens
