// A Model as it travels through the worker pipe: graphs as JSON, tensors in sealed memory or in the
// model's own file. The one place that knows the fields of Node, Graph and Model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/remote/memory.h"
#include "quantlens/runtime/remote/messages.h"

namespace quantlens {

BOOST_DESCRIBE_STRUCT(Dim, (), (extent, symbol))
BOOST_DESCRIBE_STRUCT(ResultType, (), (dtype, like))
/// A new field of Node that JSON has words for is one more here.
BOOST_DESCRIBE_STRUCT(Node, (), (name, type, domain, inputs, outputs, results))

}  // namespace quantlens

namespace quantlens::remote {

/// A ValueInfo.
struct ValueText {
  std::string name;
  std::optional<DType> dtype;
  bool shaped = false;  ///< else its number of dimensions is unknown
  std::vector<Dim> shape;
};
BOOST_DESCRIBE_STRUCT(ValueText, (), (name, dtype, shaped, shape))

/// The alternatives of an Attribute, in its order.
BOOST_DEFINE_ENUM_CLASS(AttributeType, integer, real, text, integers, reals, texts, tensor)

struct AttributeText {
  std::string name;
  AttributeType type = AttributeType::integer;
  json::Value value;  ///< of `tensor` a TensorText
};
BOOST_DESCRIBE_STRUCT(AttributeText, (), (name, type, value))

/// A body of a node.
struct BodyText {
  std::string name;         ///< the attribute
  std::uint64_t graph = 0;  ///< its number in ModelGraphs::graphs
};
BOOST_DESCRIBE_STRUCT(BodyText, (), (name, graph))

struct NodeText {
  json::Value fields;  ///< those of Node that are described as they are
  Kind kind = Kind::other;
  json::Value roles;                   ///< a RolesOutline
  std::optional<TensorText> constant;  ///< of a node whose role is ConstantValue
  std::vector<AttributeText> attributes;
  std::vector<BodyText> bodies;
};
BOOST_DESCRIBE_STRUCT(NodeText, (), (fields, kind, roles, constant, attributes, bodies))

struct GraphText {
  std::string name;
  std::vector<NodeText> nodes;
  std::vector<ValueText> inputs;
  std::vector<ValueText> outputs;
  std::vector<ValueText> values;
  std::vector<TensorText> weights;          ///< in the sealed memory
  std::vector<TensorText> weights_in_file;  ///< offsets are of the model's own file
  std::vector<std::string> opaque_weights;
};
BOOST_DESCRIBE_STRUCT(GraphText, (),
                      (name, nodes, inputs, outputs, values, weights, weights_in_file,
                       opaque_weights))

/// A graph and the bodies in it: each stands before the node that has it, the graph itself is last.
struct GraphsText {
  std::vector<GraphText> graphs;
};
BOOST_DESCRIBE_STRUCT(GraphsText, (), (graphs))

struct EntryText {
  std::string key;
  std::string value;
};
BOOST_DESCRIBE_STRUCT(EntryText, (), (key, value))

struct OpsetText {
  std::string domain;
  std::int64_t version = 0;
};
BOOST_DESCRIBE_STRUCT(OpsetText, (), (domain, version))

/// All of a Model but its format, path and file, which the asking side has.
struct ModelText {
  GraphsText graph;
  std::vector<OpsetText> opsets;
  Vocabulary vocabulary;
  std::vector<EntryText> metadata;
};
BOOST_DESCRIBE_STRUCT(ModelText, (), (graph, opsets, vocabulary, metadata))

/// A model that was opened for its time.
struct OpenedTimedText {
  std::uint64_t model = 0;  ///< its number in this worker
  GraphsText graph;         ///< TimedRun::graph
};
BOOST_DESCRIBE_STRUCT(OpenedTimedText, (), (model, graph))

/// A batch that a model got which was opened for its time.
struct AddedText {
  std::uint64_t model = 0;
  std::uint64_t batch = 0;          ///< TimedRun::add's number
  std::optional<GraphsText> graph;  ///< TimedRun::graph, where it is known by this batch alone
};
BOOST_DESCRIBE_STRUCT(AddedText, (), (model, batch, graph))

std::vector<EntryText> entries_of(const std::map<std::string, std::string>& map);
std::map<std::string, std::string> map_from(const std::vector<EntryText>& entries);

/// Adds elements to `memory`, but for weights that are views of `file`. REQUIRES: the graph
/// outlives the memory.
GraphsText text_from(const Graph& graph, Bytes file, Body& memory);
/// `file`: the bytes that the asking side has, of which model.file may be another form.
ModelText text_from(const Model& model, Bytes file, Body& memory);

/// The reverse: tensors are views of `memory` and `file`. Throws Errc::bad_input where a number is
/// out of its range, a tensor does not lie there, bodies are used twice or nest too deep, or names
/// are not as check_names wants them.
Graph graph_from(const GraphsText& text, const Payload& memory, const MappedFile& file);
/// Without format and path; has `file`.
Model model_from(const ModelText& text, const Payload& memory, const MappedFile& file);

}  // namespace quantlens::remote
