// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/models.h"

#include <cstring>
#include <numeric>
#include <random>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/oracle/numbers.h"

namespace quantlens::contract {
namespace {

/// A number in [0, 1) that does not depend on the standard library's distributions.
double uniform(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

}  // namespace

std::string Net::input(const std::string& name, const Shape& shape, DType dtype) {
  ValueInfo info{.name = name, .dtype = dtype, .shape = std::vector<Dim>()};
  for (const std::int64_t extent : shape) {
    Dim dim;
    if (extent >= 0) dim.extent = extent;
    info.shape->push_back(dim);
  }
  graph_.inputs.push_back(info);
  return name;
}

std::string Net::weight(const std::string& name, const Tensor& tensor) {
  graph_.weights.emplace(name, tensor);
  return name;
}

std::string Net::node(const std::string& type, const Names& inputs, const std::string& output,
                      const Attributes& attributes) {
  Node node;
  node.name = output + "_node";
  node.type = type;
  node.inputs = inputs;
  node.outputs = {output};
  node.attributes = attributes;
  graph_.nodes.push_back(node);
  return output;
}

std::string Net::microsoft(const std::string& type, const Names& inputs, const std::string& output,
                           const Attributes& attributes) {
  node(type, inputs, output, attributes);
  last().domain = "com.microsoft";
  opsets_["com.microsoft"] = 1;
  return output;
}

std::string Net::quantize(const std::string& value, QParams params, DType dtype) {
  const std::string scale = weight(value + "_scale", Tensor::scalar(params.scale));
  const std::string zero = weight(value + "_zero_point", zero_point_of(params, dtype));
  node("QuantizeLinear", {value, scale, zero}, value + "_q");
  return node("DequantizeLinear", {value + "_q", scale, zero}, value + "_dq");
}

std::string Net::dequantize(const std::string& name, const Tensor& scales,
                            const Tensor& zero_points, std::int64_t axis) {
  const std::string scale = weight(name + "_scale", scales);
  const std::string zero = weight(name + "_zero_point", zero_points);
  return node("DequantizeLinear", {name, scale, zero}, name + "_dq", {{"axis", axis}});
}

Net& Net::output(const std::string& name) {
  ValueInfo info;
  info.name = name;
  graph_.outputs.push_back(info);
  return *this;
}

Model Net::model() const {
  return onnx::read("net.onnx", MappedFile::from_bytes(onnx::serialize(graph_, opsets_)));
}

Tensor zero_point_of(QParams params, DType dtype) {
  const std::vector<std::int64_t> value{params.zero_point};
  return oracle::from_integers(dtype, {}, value);
}

Tensor random_floats(const Shape& shape, unsigned seed, double low, double high) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(*element_count(shape)));
  for (float& value : values) value = static_cast<float>(low + (high - low) * uniform(random));
  return Tensor::from<float>(shape, std::move(values));
}

Tensor random_integers(const Shape& shape, unsigned seed, std::int64_t low, std::int64_t high,
                       DType dtype) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> values(static_cast<std::size_t>(*element_count(shape)));
  const double extent = static_cast<double>(high - low + 1);
  for (std::int64_t& value : values) {
    value = low + static_cast<std::int64_t>(extent * uniform(random));
  }
  if (!is_float(dtype)) return oracle::from_integers(dtype, shape, values);
  return oracle::from_doubles(dtype, shape, std::vector<double>(values.begin(), values.end()));
}

Tensor random_codes(const Shape& shape, unsigned seed, DType dtype) {
  const CodeRange limits = code_limits(dtype);
  return random_integers(shape, seed, limits.min, limits.max, dtype);
}

Batch batch(std::uint64_t first, const TensorMap& inputs) {
  Batch result;
  result.inputs = inputs;
  const auto count = static_cast<std::size_t>(inputs.begin()->second.shape().at(0));
  result.samples.resize(count);
  std::iota(result.samples.begin(), result.samples.end(), first);
  result.labels.resize(count);
  return result;
}

Batch rows(const Batch& whole, std::uint64_t begin, std::uint64_t count) {
  Batch result;
  const auto from = whole.samples.begin() + static_cast<std::ptrdiff_t>(begin);
  result.samples.assign(from, from + static_cast<std::ptrdiff_t>(count));
  result.labels.resize(count);
  for (const auto& [name, tensor] : whole.inputs) {
    Shape shape = tensor.shape();
    const std::size_t row = tensor.bytes().size() / static_cast<std::size_t>(shape[0]);
    shape[0] = static_cast<std::int64_t>(count);
    result.inputs.emplace(
        name, Tensor(tensor.dtype(), shape, tensor.bytes().subspan(begin * row, count * row),
                     tensor.owner()));
  }
  return result;
}

Tap tap(const std::string& value) {
  Tap result;
  result.value = value;
  return result;
}

PairTap pair(const std::string& reference, const std::string& quantized) {
  PairTap result;
  result.reference = reference;
  result.quantized = quantized;
  return result;
}

PairTap pair(const std::string& reference, const std::string& quantized, QParams params,
             DType dtype) {
  PairTap result = pair(reference, quantized);
  result.params = params;
  result.scheme.emplace().dtype = dtype;
  return result;
}

TapSpec taps(std::initializer_list<std::string> values) {
  TapSpec spec;
  for (const std::string& value : values) spec.taps.push_back(tap(value));
  return spec;
}

}  // namespace quantlens::contract
