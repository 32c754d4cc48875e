// Small models and batches for the tests of every kind of Run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/run.h"

namespace quantlens::contract {

using Attributes = std::map<std::string, Attribute>;
using Names = std::vector<std::string>;

/// A graph under construction; each call adds one thing and gives its name back.
class Net {
 public:
  explicit Net(std::int64_t opset = 13) : opsets_{{"", opset}} {}

  /// -1 for an extent that is not known.
  std::string input(const std::string& name, const Shape& shape, DType dtype = DType::float32);
  std::string weight(const std::string& name, const Tensor& tensor);
  /// A node that makes `output`; its name is the output's with "_node" behind.
  std::string node(const std::string& type, const Names& inputs, const std::string& output,
                   const Attributes& attributes = {});
  Node& last() { return graph_.nodes.back(); }
  /// A node of ONNX Runtime's own domain, com.microsoft.
  std::string microsoft(const std::string& type, const Names& inputs, const std::string& output,
                        const Attributes& attributes = {});
  /// QuantizeLinear, and DequantizeLinear of its result; makes `<value>_q` and `<value>_dq`.
  std::string quantize(const std::string& value, QParams params, DType dtype);
  /// DequantizeLinear of a weight's codes; makes `<name>_dq`.
  std::string dequantize(const std::string& name, const Tensor& scales, const Tensor& zero_points,
                         std::int64_t axis);
  Net& output(const std::string& name);

  /// Written as an ONNX file in memory and read again, as any runtime wants it.
  Model model() const;

 private:
  Graph graph_;
  std::map<std::string, std::int64_t> opsets_;
};

/// The parameters as the scalar tensors that ops want: scale, and zero point of this type.
Tensor zero_point_of(QParams params, DType dtype);

/// Random tensors, equal for equal seeds on every machine.
Tensor random_floats(const Shape& shape, unsigned seed, double low = -1, double high = 1);
Tensor random_codes(const Shape& shape, unsigned seed, DType dtype);  ///< all codes of the type
Tensor random_integers(const Shape& shape, unsigned seed, std::int64_t low, std::int64_t high,
                       DType dtype);

/// A batch of samples first, first + 1, ... of these inputs.
Batch batch(std::uint64_t first, const TensorMap& inputs);
/// Rows [begin, begin + count) of a batch.
Batch rows(const Batch& whole, std::uint64_t begin, std::uint64_t count);

Tap tap(const std::string& value);
PairTap pair(const std::string& reference, const std::string& quantized);
PairTap pair(const std::string& reference, const std::string& quantized, QParams params,
             DType dtype);
TapSpec taps(std::initializer_list<std::string> values);

}  // namespace quantlens::contract
