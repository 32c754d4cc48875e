// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/prepare.h"

namespace quantlens {

/// Which patterns become integer, and which values are stored as codes.
struct Selection {
  std::vector<bool> quantized;       ///< one a pattern
  std::vector<std::string> reasons;  ///< why not; empty where quantized
  std::set<std::string> codes;       ///< values that get a quantize/dequantize pair
};

/// The last value of a pattern: its activation.
const std::string& pattern_output(const Graph& graph, const Pattern& pattern);

/// All values that a pattern makes: Split makes several.
std::vector<std::string> pattern_outputs(const Graph& graph, const Pattern& pattern);

/// The data inputs of a pattern: input numbers of its anchor.
std::vector<std::size_t> data_inputs(const Node& anchor);

/// Spreads from the compute ops: those without an obstacle are integer, ops that only move codes
/// follow on both sides, and the others (Add, Mul, Concat, pools, Relu) where they lie between
/// integer neighbours, since alone they would add rounding and save nothing. `obstacles`: why a
/// pattern must stay float; empty where nothing stands in the way.
Selection select(const GraphIndex& index, const Prepared& prepared,
                 const std::vector<std::string>& obstacles);

}  // namespace quantlens
