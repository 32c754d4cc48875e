// New messages: what quantlens itself puts into a model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/pieces.h"

namespace quantlens::onnx {

using protobuf::Pieces;

/// A weight on its way into a file; its elements are made when they are written, one weight at a
/// time.
struct NewWeight {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  std::function<Tensor()> make;
};
NewWeight new_weight(const std::string& name, const Tensor& tensor);

/// Bytes that a tensor of this type takes in a file (two int4 a byte). REQUIRES: not strings.
std::uint64_t stored_bytes(DType dtype, const Shape& shape);

/// The elements as a file holds them. REQUIRES: not strings.
void write_elements(const Tensor& tensor, const Sink& sink);

/// A TensorProto; with `elsewhere` its elements are not in it.
Pieces encode_tensor(const NewWeight& weight, const std::optional<External>& elsewhere);

/// Entries of TensorProto.external_data, and data_location.
Pieces encode_external(const External& external);

Pieces encode_node(const Node& node);
Pieces encode_value_info(const ValueInfo& info);
Pieces encode_opset(const Opset& opset);
Pieces encode_entry(std::string_view key, std::string_view value);
Pieces encode_graph(const Graph& graph);

}  // namespace quantlens::onnx
