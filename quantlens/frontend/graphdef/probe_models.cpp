// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/probe_models.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/frontend/graphdef/encode.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/integer_nodes.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

constexpr std::uint64_t kProducer = 1286;  // the version of graphs that TensorFlow 2.10 writes

NewNode input_node(const std::string& name, Type type, const Shape& shape) {
  AttributeWriter attributes;
  attributes.type("dtype", type).shape("shape", shape);
  return {.name = name, .type = "Placeholder", .inputs = {}, .attributes = attributes.take()};
}

NewNode float_node(const std::string& name, std::string type, std::vector<std::string> inputs) {
  AttributeWriter attributes;
  attributes.type("T", Type::float32);
  return {.name = name,
          .type = std::move(type),
          .inputs = std::move(inputs),
          .attributes = attributes.take()};
}

NewNode product_node() {
  NewNode node = float_node("c", "MatMul", {"a", "b"});
  AttributeWriter more;
  more.flag("transpose_a", false).flag("transpose_b", false);
  node.attributes.append(more.take());
  return node;
}

Model model_of(const std::vector<NewNode>& nodes) {
  Pieces graph;
  for (const NewNode& node : nodes) graph.field(GraphDef::node, encode(node));
  Pieces versions;
  versions.varint_field(VersionDef::producer, kProducer);
  graph.field(GraphDef::versions, std::move(versions));
  return read("synthetic.pb", MappedFile::from_bytes(graph.str()));
}

NewNode scalar_node(const std::string& name, float value) {
  return constant_node(name, new_tensor(Tensor::scalar(value)));
}

/// A constant with the same number everywhere.
NewNode even_node(const std::string& name, const Shape& shape, float value) {
  const auto count = static_cast<std::size_t>(element_count(shape).value_or(0));
  return constant_node(name,
                       new_tensor(Tensor::from<float>(shape, std::vector<float>(count, value))));
}

}  // namespace

Model chain_model(std::size_t length, std::int64_t elements) {
  std::vector<NewNode> nodes{input_node("x0", Type::float32, {1, elements})};
  for (std::size_t i = 0; i < length; ++i) {
    const bool is_even = i % 2 == 0;
    const std::string bound = fmt::format("bound{}", i);
    nodes.push_back(scalar_node(bound, is_even ? 0.25F : 4.0F + static_cast<float>(i)));
    nodes.push_back(float_node(fmt::format("x{}", i + 1), is_even ? "Maximum" : "Minimum",
                               {fmt::format("x{}", i), bound}));
  }
  return model_of(nodes);
}

Model product_model(std::int64_t n, bool integer) {
  if (!integer) {
    return model_of(
        {input_node("a", Type::float32, {n, n}), even_node("b", {n, n}, 0.5F), product_node()});
  }
  const auto count = static_cast<std::size_t>(n * n);
  const NewTensor codes{
      .type = Type::qint8, .shape = {n, n}, .make = [n, count] {
        return Tensor::from<std::int8_t>({n, n}, std::vector<std::int8_t>(count, 1));
      }};
  const std::string floats = encode(product_node()).str();
  const NodeParts parts{
      .message = floats, .name = {}, .type = {}, .device = {}, .inputs = {}, .values = {}};
  const IntegerOp op{.floats = &parts,
                     .name = "c",
                     .data = Codes("a", Type::quint8, {"zero", "most"}),
                     .weight = "b",
                     .weight_range = {"b/min", "b/max"},
                     .bias = "bias",
                     .has_relu = false,
                     .result = Type::quint8,
                     .result_range = {"zero", "most"}};
  return model_of({input_node("a", Type::quint8, {n, n}), constant_node("b", codes),
                   scalar_node("zero", 0), scalar_node("most", 255), scalar_node("b/min", -127),
                   scalar_node("b/max", 127), even_node("bias", {n}, 0), integer_product(op)});
}

}  // namespace quantlens::graphdef
