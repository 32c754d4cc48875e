// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/quantizer/analyze/prepare.h"

namespace quantlens {

/// Which patterns become integer, and which values are stored as codes.
struct Selection {
  std::vector<bool> quantized;       ///< one a pattern
  std::vector<std::string> reasons;  ///< why not; empty where quantized
  std::set<std::string> codes;       ///< values that get a quantize/dequantize pair
  std::set<std::string> made;        ///< those of them that their op gives as codes
};

/// What is known of the patterns before the spread; one entry a pattern each.
struct Wishes {
  std::vector<std::string> obstacles;  ///< why it must stay float; empty: nothing stands in the way
  std::vector<bool> forced;            ///< integer also where that saves nothing
  std::vector<bool> float_results;     ///< gives floats where its kernel can
  std::vector<bool> wide;              ///< its activations have 16 bits
};

/// The last value of a pattern: its activation.
const std::string& pattern_output(const Graph& graph, const Pattern& pattern);

/// All values that a pattern makes: Split makes several.
std::vector<std::string> pattern_outputs(const Graph& graph, const Pattern& pattern);

/// The data inputs of a pattern: input numbers of its anchor.
std::vector<std::size_t> data_inputs(const Capabilities& able, const Node& anchor);

/// Spreads from the compute ops: those without an obstacle are integer, ops that only move codes
/// follow on both sides, and the others (Add, Mul, Concat, pools, Relu) where they lie between
/// integer neighbours, since alone they would add rounding and save nothing. Ops of 8 and of 16
/// bits are no such neighbours to each other.
Selection select(const GraphIndex& index, const Prepared& prepared, const Wishes& wishes);

}  // namespace quantlens
