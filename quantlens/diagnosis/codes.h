// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/quant/params.h"
#include "quantlens/quant/scheme.h"

namespace quantlens {

/// A tensor of codes and what they mean.
struct Codes {
  std::string tensor;
  Scheme scheme;
  std::vector<QParams> params;
};

/// What a QuantizeLinear or DequantizeLinear says of `tensor`, which has `rank` dimensions; nothing
/// where its scale or zero point is not constant or of no integer format.
std::optional<Codes> codes_of(const GraphIndex& index, const Node& node, const std::string& tensor,
                              std::size_t rank);

}  // namespace quantlens
