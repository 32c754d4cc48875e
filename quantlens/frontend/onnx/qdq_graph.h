// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/frontend/onnx/plan_edit.h"

namespace quantlens::onnx {

/// A tensor of codes, and the initializers that say what they mean.
struct Coded {
  std::string tensor;
  std::string scale, zero_point;  ///< their names
  Tensor scales, zero_points;
  std::optional<int> axis;     ///< of the scales; absent: one scale
  std::optional<Shape> shape;  ///< where it is a weight
  DType dtype() const { return zero_points.dtype(); }
};

/// A node of an edited graph.
struct EditedNode {
  Node node;                            ///< with its new names
  std::optional<std::size_t> original;  ///< its number in the model; nothing: inserted
  std::size_t before = 0;               ///< the number of the node that it stands before
  std::vector<std::string> captured;    ///< outer values that its subgraphs read
};

/// The graph that the edit of a plan makes, and where its values are codes.
class QdqGraph {
 public:
  QdqGraph(const Graph& graph, const PlanEdit& plan);

  const std::vector<EditedNode>& nodes() const { return nodes_; }  ///< in the order of the file
  bool is_output(const std::string& value) const { return outputs_.contains(value); }
  bool is_read(const std::string& value) const {
    return readers_.contains(value) || is_output(value);
  }
  /// The one node that reads a value, which is no graph output.
  std::optional<std::size_t> only_reader(const std::string& value) const;
  /// What the plan's DequantizeLinear makes this value of.
  std::optional<Coded> dequantized_from(const std::string& value) const;

  /// The plan's QuantizeLinear that alone reads a value.
  struct Quantized {
    std::size_t node = 0;
    Coded codes;
  };
  std::optional<Quantized> quantized_to(const std::string& value) const;

 private:
  EditedNode edited(const Graph& graph, const Edit& edit, std::size_t number) const;
  void connect(std::size_t number);
  std::optional<Coded> coded(const EditedNode& link, const std::string& tensor) const;

  std::vector<EditedNode> nodes_;
  std::set<std::string> outputs_;
  std::unordered_map<std::string, std::size_t> makers_;
  std::unordered_map<std::string, std::vector<std::size_t>> readers_;
  std::map<std::string, Tensor> parameters_;  ///< scales and zero points
  std::map<std::string, Shape> shapes_;       ///< of the integer weights
};

}  // namespace quantlens::onnx
