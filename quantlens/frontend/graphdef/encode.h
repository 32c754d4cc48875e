// New nodes: what quantlens itself puts into a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/frontend/pieces.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::graphdef {

using protobuf::Pieces;
using protobuf::Sink;

/// Types by TensorFlow's numbers: those with names here, and any other.
enum class Type : std::uint8_t { float32 = 1, qint8 = 11, quint8 = 12 };

/// The attributes of a node in the making.
class AttributeWriter {
 public:
  AttributeWriter& type(std::string_view key, Type value);
  AttributeWriter& types(std::string_view key, const std::vector<Type>& values);
  AttributeWriter& text(std::string_view key, std::string_view value);
  AttributeWriter& texts(std::string_view key, const std::vector<std::string_view>& values);
  AttributeWriter& number(std::string_view key, std::int64_t value);
  AttributeWriter& flag(std::string_view key, bool value);
  AttributeWriter& real(std::string_view key, float value);
  AttributeWriter& shape(std::string_view key, const Shape& value);
  AttributeWriter& tensor(std::string_view key, Pieces message);
  /// A whole field of another node, which has to outlive what is written.
  AttributeWriter& copy(std::string_view field);

  Pieces take() { return std::move(fields_); }

 private:
  AttributeWriter& add(std::string_view key, Pieces value);
  Pieces fields_;
};

struct NewNode {
  std::string name;
  std::string type;
  std::vector<std::string> inputs;  ///< "node", "node:1", "^node"
  Pieces attributes = {};
  std::string device = {};
};

/// A tensor on its way into a file. Its elements are made when they are written.
struct NewTensor {
  Type type = Type::float32;
  Shape shape;
  std::function<Tensor()> make;
};
/// REQUIRES: numbers.
NewTensor new_tensor(const Tensor& tensor);

/// A node Const.
NewNode constant_node(const std::string& name, const NewTensor& tensor);

/// A NodeDef.
Pieces encode(const NewNode& node);

}  // namespace quantlens::graphdef
