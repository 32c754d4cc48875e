// TensorFlow's int8 ops for CPUs, by oneDNN. Their codes have no zero point: quint8 from 0 to a
// maximum, qint8 from -127 to 127 around 0 (mode SCALED); ranges go along as values of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/quant/params.h"

namespace quantlens::graphdef {

/// The type of codes with these parameters; nothing where TensorFlow has none.
std::optional<Type> code_type(DType dtype, std::span<const QParams> params);

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
  bool is_narrow = true;  ///< of qint8: -128 is not among them; ops that compute codes give it, too
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

/// The least and the greatest number that codes with these scales stand for, in tensors of this
/// shape. REQUIRES: it has as many elements.
struct RangeTensors {
  Tensor min, max;
};
RangeTensors range_tensors(Type type, std::span<const QParams> params, const Shape& shape);

/// Constants of these names that say it, as one number or one for each channel.
std::vector<NewNode> range_nodes(const RangeNodes& names, Type type,
                                 std::span<const QParams> params);

/// A node that makes codes of floats; one that makes floats of codes. `axis`: along which ranges
/// differ.
NewNode quantize_node(const Codes& made, const std::string& value, const RangeNodes& range,
                      std::optional<int> axis = {});
NewNode dequantize_node(const std::string& name, const Codes& codes, std::optional<int> axis = {});

/// The same node under another name, which reads nothing yet; views its attributes, but for the
/// nodes that it was placed beside ("_class").
NewNode copy_of(const NodeParts& node, const std::string& name);

}  // namespace quantlens::graphdef
