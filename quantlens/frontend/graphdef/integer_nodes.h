// TensorFlow's int8 ops for CPUs, by oneDNN. Their codes have no zero point: quint8 from 0 to a
// maximum, qint8 from -127 to 127 around 0 (mode SCALED); ranges go along as values of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "quantlens/frontend/graphdef/edit.h"

namespace quantlens::graphdef {

/// A node that gives codes, and their range as its second and third result.
struct Codes {
  std::string node;
  Type type = Type::quint8;  ///< or qint8
};

/// Nodes that say a range.
struct RangeNodes {
  std::string min, max;
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

/// A node that makes codes of floats; one that makes floats of codes.
NewNode quantize_node(const Codes& made, const std::string& value, const RangeNodes& range);
NewNode dequantize_node(const std::string& name, const Codes& codes);

}  // namespace quantlens::graphdef
