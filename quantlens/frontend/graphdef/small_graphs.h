// Writes small graphs of TensorFlow down, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens::graphdef {

// Types by TensorFlow's numbers.
inline constexpr std::int64_t kFloat = 1, kDouble = 2, kInt32 = 3, kUint8 = 4, kInt8 = 6,
                              kString = 7, kInt64 = 9, kBool = 10, kQint8 = 11, kQuint8 = 12,
                              kBfloat16 = 14, kHalf = 19, kResource = 20, kUint32 = 22,
                              kUint64 = 23;

/// Messages AttrValue by name.
using Attributes = std::map<std::string, std::string>;

std::string number(std::int64_t value);
std::string real(float value);
std::string flag(bool value);
std::string type(std::int64_t value);
std::string text(const std::string& value);
std::string shape(const std::vector<std::int64_t>& extents);  ///< -1: not known
std::string unknown_shape();
std::string numbers(const std::vector<std::int64_t>& values);
std::string types(const std::vector<std::int64_t>& values);
std::string texts(const std::vector<std::string>& values);
std::string shapes(const std::vector<std::vector<std::int64_t>>& values);
std::string function(const std::string& name, const Attributes& attributes = {});
std::string functions(const std::vector<std::string>& names);
std::string placeholder(const std::string& name);
std::string tensor(const std::string& message);

inline const Attributes kOfFloats{{"T", type(kFloat)}};

/// Messages TensorProto.
std::string floats(const std::vector<std::int64_t>& shape, const std::vector<float>& values);
std::string integers(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int32_t>& values);
/// With elements in a field of that number: each a varint by itself, or packed.
std::string varints(std::int64_t type, const std::vector<std::int64_t>& shape, std::uint32_t field,
                    const std::vector<std::uint64_t>& values, bool packed);
/// With these bytes as field number `field`.
std::string with_bytes(std::int64_t type, const std::vector<std::int64_t>& shape,
                       std::uint32_t field, const std::string& bytes);

std::string node_bytes(const std::string& name, const std::string& op,
                       const std::vector<std::string>& inputs, const Attributes& attributes = {},
                       const std::string& device = {});

struct FunctionParts {
  std::string name;
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<std::string> nodes = {};  ///< as node_bytes writes them
  std::map<std::string, std::string> returned = {};
  std::string type_attribute = {};  ///< of all it takes and gives; empty: floats
};

class GraphBytes {
 public:
  GraphBytes& node(const std::string& name, const std::string& op,
                   const std::vector<std::string>& inputs = {}, const Attributes& attributes = {},
                   const std::string& device = {});
  /// A Placeholder of floats.
  GraphBytes& input(const std::string& name, const std::vector<std::int64_t>& extents);
  GraphBytes& constant(const std::string& name, const std::string& tensor_message);
  GraphBytes& define(const FunctionParts& function);
  GraphBytes& producer(std::int64_t version);
  const std::string& bytes() const { return bytes_; }
  Model read() const;

 private:
  std::string bytes_;
};

Model model_of(const std::string& bytes);
/// The node that makes the value. Throws where there is none.
const Node& maker(const Graph& graph, const std::string& value);
std::vector<std::string> names_of(const std::vector<ValueInfo>& values);
std::vector<std::string> types_of(const std::vector<Node>& nodes);
/// What reading the bytes ends in: a sentence; empty where they can be read.
std::string refusal(const std::string& bytes);

/// A convolution with its bias, a batch normalization and a pool.
GraphBytes small_network();

}  // namespace quantlens::graphdef
