// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "quantlens/graph/model.h"

namespace quantlens {

/// What a file that quantlens wrote says of its origin (metadata "quantlens.names",
/// docs/format.md).
struct Provenance {
  std::map<std::string, std::string> values;  ///< reference value -> output of its QuantizeLinear
};

/// Empty where the file has none, or has something else under that name: it is a hint, never
/// trusted.
Provenance read_provenance(const Model& quantized);

}  // namespace quantlens
