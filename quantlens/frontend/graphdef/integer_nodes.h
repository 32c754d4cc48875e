// TensorFlow's int8 ops for CPUs, by oneDNN. Their codes have no zero point: quint8 from 0 to a
// maximum, qint8 from -127 to 127 around 0 (mode SCALED); ranges go along as values of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "quantlens/frontend/graphdef/edit.h"

namespace quantlens::graphdef {

/// What says a range: nodes, or results of nodes.
struct RangeNodes {
  std::string min, max;
};

/// A node that gives codes, and what says their range.
struct Codes {
  /// Of a node whose second and third result are the range.
  Codes(std::string with_range, Type of)
      : node(std::move(with_range)), type(of), range{node + ":1", node + ":2"} {}
  Codes(std::string moved, Type of, RangeNodes as)
      : node(std::move(moved)), type(of), range(std::move(as)) {}

  std::string node;
  Type type;  ///< quint8 or qint8
  RangeNodes range;
};

/// What a convolution or product reads, and gives.
struct IntegerOp {
  const NodeParts* floats = nullptr;  ///< the op that it stands for
  std::string name;
  Codes data;
  std::string weight;
  RangeNodes weight_range;
  std::string bias;
  bool has_relu = false;
  std::optional<Type> result;  ///< codes; nothing: floats, which a product alone can give
  RangeNodes result_range;     ///< of codes
};

NewNode integer_convolution(const IntegerOp& op, bool is_depthwise);
NewNode integer_product(const IntegerOp& op);

/// Whether an op that only moves, picks or compares elements does so with codes.
bool moves_codes(std::string_view type);
struct MovedCodes {
  NewNode node;
  Codes codes;
};
/// Such an op, with these nodes of codes in place of what it reads at their positions in the file.
/// `data`: the first of them, whose type and range all have.
MovedCodes move_codes(const NodeParts& floats, const std::map<std::size_t, std::string>& parts,
                      const std::string& name, const Codes& data);

/// A node that makes codes of floats; one that makes floats of codes.
NewNode quantize_node(const Codes& made, const std::string& value, const RangeNodes& range);
NewNode dequantize_node(const std::string& name, const Codes& codes);

}  // namespace quantlens::graphdef
