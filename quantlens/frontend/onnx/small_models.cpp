// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/small_models.h"

#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/rewrite.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint32_t kUnknownField = 1234;

Tensor ramp(Shape shape) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.25F - 1;
  return Tensor::from<float>(std::move(shape), std::move(values));
}

std::shared_ptr<const Graph> branch(const std::string& type, const std::string& value) {
  Graph body;
  body.name = type;
  body.nodes = {make_node("Add", {"r1", "offset"}, {type + "_sum"}),
                make_node(type, {value}, {type + "_out"})};
  body.weights["offset"] = Tensor::from<float>({1}, {0.5F});
  body.values["r1"] = float_value("r1", {});
  body.outputs = {float_value(type + "_out", {})};
  return std::make_shared<const Graph>(std::move(body));
}

/// Which fields of a message are messages that quantlens looks into.
struct Schema {
  std::map<std::uint32_t, const Schema*> children;
};

const Schema& model_schema() {
  static const Schema kLeaf, kDim;
  static const Schema kShape{{{TensorShapeProto::dim, &kDim}}};
  static const Schema kTensorType{{{TensorTypeProto::shape, &kShape}}};
  static const Schema kType{{{TypeProto::tensor_type, &kTensorType}}};
  static const Schema kValueInfo{{{ValueInfoProto::type, &kType}}};
  static const Schema kTensor{{{TensorProto::external_data, &kLeaf}}};
  static const Schema kSparse{{{SparseTensorProto::values, &kTensor}}};
  static Schema graph;  // a graph holds nodes that hold graphs
  static const Schema kAttribute{{{AttributeProto::t, &kTensor}, {AttributeProto::g, &graph}}};
  static const Schema kNode{{{NodeProto::attribute, &kAttribute}}};
  static const Schema kModel{{{ModelProto::graph, &graph},
                              {ModelProto::opset_import, &kLeaf},
                              {ModelProto::metadata_props, &kLeaf},
                              {ModelProto::functions, &kLeaf}}};
  graph.children = {{GraphProto::node, &kNode},
                    {GraphProto::initializer, &kTensor},
                    {GraphProto::sparse_initializer, &kSparse},
                    {GraphProto::input, &kValueInfo},
                    {GraphProto::output, &kValueInfo},
                    {GraphProto::value_info, &kValueInfo}};
  return kModel;
}

const Schema* child(const Schema& schema, const Field& field) {
  const auto found = schema.children.find(field.number());
  return found == schema.children.end() || field.key != bytes_key(field.number()) ? nullptr
                                                                                  : found->second;
}

Pieces seeded(std::string_view message, const Schema& schema, int& count) {
  Pieces out;
  out.field(kUnknownField, fmt::format("seed {}", count++));
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (const Schema* inner = child(schema, field)) {
      out.field(field.number(), seeded(field.payload, *inner, count));
    } else {
      out.text(field.whole);
    }
  }
  out.varint_field(kUnknownField, static_cast<std::uint64_t>(count));
  return out;
}

void collect(std::string_view message, const Schema& schema, std::vector<std::string>& out) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number() == kUnknownField) out.emplace_back(field.whole);
    if (const Schema* inner = child(schema, field)) collect(field.payload, *inner, out);
  }
}

std::map<std::string, std::string> graph_fields(
    std::string_view model, std::uint32_t number,
    const std::function<std::string(std::string_view)>& name) {
  std::map<std::string, std::string> out;
  Fields fields(split_model(model).graph.value());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(number)) out[name(field.payload)] = field.whole;
  }
  return out;
}

}  // namespace

Node make_node(const std::string& type, std::vector<std::string> inputs,
               std::vector<std::string> outputs, std::map<std::string, Attribute> attributes) {
  Node node;
  node.name = "node_" + outputs.front();
  node.type = type;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  return node;
}

ValueInfo float_value(const std::string& name, std::vector<Dim> shape) {
  return {name, DType::float32, std::move(shape)};
}

Dim dim(std::int64_t extent) {
  return {extent, ""};
}

Dim dim(const std::string& symbol) {
  return {std::nullopt, symbol};
}

Graph small_graph() {
  const std::vector<Dim> image = {dim("N"), dim(2), dim(4), dim(4)};
  Graph graph;
  graph.name = "small";
  graph.inputs = {float_value("x", {dim("N"), dim(3), dim(4), dim(4)})};
  graph.outputs = {float_value("y", image), float_value("z", image)};
  graph.weights["w1"] = ramp({2, 3, 1, 1});
  graph.weights["w2"] = ramp({2, 2, 1, 1});
  for (const char* name : {"scale", "bias", "mean", "variance"}) graph.weights[name] = ramp({2});
  graph.values["n1"] = float_value("n1", image);
  graph.values["c1"] = float_value("c1", image);
  Node choice = make_node("If", {"condition"}, {"z"});
  choice.subgraphs = {{"then_branch", branch("Identity", "r1")},
                      {"else_branch", branch("Neg", "r1")}};
  graph.nodes = {
      make_node("Conv", {"x", "w1"}, {"c1"}, {{"kernel_shape", std::vector<std::int64_t>{1, 1}}}),
      make_node("BatchNormalization", {"c1", "scale", "bias", "mean", "variance"}, {"n1"},
                {{"epsilon", 0.5F}}),
      make_node("Relu", {"n1"}, {"r1"}),
      make_node("Constant", {}, {"b2"}, {{"value", ramp({2})}}),
      make_node("Conv", {"r1", "w2", "b2"}, {"y"}),
      make_node("Constant", {}, {"condition"}, {{"value", Tensor::from<bool>({}, {true})}}),
      choice};
  return graph;
}

Model model_of(const std::string& bytes, const fs::path& path) {
  return read(path, MappedFile::from_bytes(bytes));
}

Model model_of(const Graph& graph, const std::map<std::string, std::int64_t>& opsets) {
  return model_of(serialize(graph, opsets, {{"author", "nobody"}}));
}

std::string written(const Model& model, const Edit& edit, const WriteOptions& options) {
  std::string out;
  write(model, edit, options, [&](Bytes bytes) { out.append(as_text(bytes)); });
  return out;
}

void expect_code(const Error& error, Errc code) {
  EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
}

void fail_no_error() {
  ADD_FAILURE() << "no error was thrown";
}

std::map<std::string, std::string> node_bytes(std::string_view model) {
  return graph_fields(model, GraphProto::node, [](std::string_view node) {
    Fields fields(node);
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(NodeProto::output)) return std::string(field.payload);
    }
    return std::string();
  });
}

std::map<std::string, std::string> weight_bytes(std::string_view model) {
  return graph_fields(model, GraphProto::initializer, tensor_name);
}

std::string with_unknown_fields(std::string_view model) {
  int count = 0;
  return seeded(model, model_schema(), count).str();
}

std::vector<std::string> unknown_fields(std::string_view model) {
  std::vector<std::string> out;
  collect(model, model_schema(), out);
  return out;
}

std::string file_with(Pieces graph, std::uint64_t ir_version, std::int64_t opset) {
  Pieces out;
  out.varint_field(ModelProto::ir_version, ir_version);
  out.field(ModelProto::graph, std::move(graph));
  if (opset > 0) out.field(ModelProto::opset_import, encode_opset({"", opset}));
  return out.str();
}

}  // namespace quantlens::onnx
