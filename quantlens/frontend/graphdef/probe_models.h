// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantlens/graph/model.h"

namespace quantlens::graphdef {

/// As frontend::chain_model and frontend::product_model, of this format.
Model chain_model(std::size_t length, std::int64_t elements);
Model product_model(std::int64_t n, bool integer);

}  // namespace quantlens::graphdef
