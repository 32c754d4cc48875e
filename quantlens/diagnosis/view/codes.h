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

/// Where a tensor's scale and zero point stand.
struct CodeParams {
  std::string scale;
  std::string zero_point;      ///< empty: none, all are 0
  DType dtype = DType::uint8;  ///< of the codes where no zero point tells it
  std::optional<int> axis;     ///< of several scales
};

/// What these say of `tensor`; nothing where they are not constant or of no integer format.
std::optional<Codes> codes_with(const GraphIndex& index, const CodeParams& from,
                                const std::string& tensor);

/// What a QuantizeLinear or DequantizeLinear says of `tensor`, which has `rank` dimensions; as
/// above.
std::optional<Codes> codes_of(const GraphIndex& index, const Node& node, const std::string& tensor,
                              std::size_t rank);

}  // namespace quantlens
