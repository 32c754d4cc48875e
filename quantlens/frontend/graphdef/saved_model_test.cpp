// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/saved_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Attributes kOfVariable{{"dtype", type(kFloat)}};

struct End {
  std::string key, tensor;
};

/// A graph, and a signature over it.
struct Saved {
  std::string graph;
  std::vector<End> inputs, outputs;
  std::string name = "serving_default";

  std::string bytes() const {
    std::string meta, saved;
    pbf_writer writer(meta);
    pbf_writer(writer, MetaGraphDef::meta_info_def).add_bytes(MetaInfoDef::tags, "serve");
    writer.add_bytes(MetaGraphDef::graph_def, graph);
    pbf_writer entry(writer, MetaGraphDef::signature_def);
    entry.add_bytes(MapEntry::key, name);
    pbf_writer signature(entry, MapEntry::value);
    for (const End& input : inputs) add(signature, SignatureDef::inputs, input);
    for (const End& output : outputs) add(signature, SignatureDef::outputs, output);
    signature.commit();
    entry.commit();
    pbf_writer(saved).add_bytes(SavedModel::meta_graphs, meta);
    return saved;
  }

 private:
  static void add(pbf_writer& signature, std::uint32_t which, const End& end) {
    pbf_writer entry(signature, which);
    entry.add_bytes(MapEntry::key, end.key);
    pbf_writer info(entry, MapEntry::value);
    info.add_bytes(TensorInfo::name, end.tensor);
    info.add_int64(TensorInfo::dtype, kFloat);
    info.add_bytes(TensorInfo::tensor_shape, "");
  }
};

/// y = x * w + b in a function that gets the variables' handles, called by another one.
Saved small_saved() {
  GraphBytes graph;
  const std::string read_w = node_bytes("read_w", "ReadVariableOp", {"handle_w"}, kOfVariable);
  const std::string read_b = node_bytes("read_b", "ReadVariableOp", {"handle_b"}, kOfVariable);
  graph.producer(1286)
      .input("serving_default_x", {2})
      .node("dense/kernel", "VarHandleOp", {}, kOfVariable)
      .node("dense/bias", "VarHandleOp", {}, kOfVariable)
      .node("unused", "VarHandleOp", {}, kOfVariable)
      .node("call", "StatefulPartitionedCall", {"serving_default_x", "dense/kernel", "dense/bias"},
            {{"f", function("outer")}})
      .define(
          {.name = "outer",
           .inputs = {"a", "handle_w", "handle_b"},
           .outputs = {"r"},
           .nodes = {node_bytes("inner", "PartitionedCall", {"a", "handle_w", "handle_b"},
                                {{"f", function("inner")}}),
                     node_bytes("wait", "NoOp", {"^inner"}),
                     node_bytes("Identity", "Identity", {"inner:output:0", "^wait"}, kOfFloats)},
           .returned = {{"r", "Identity:output:0"}}})
      .define(
          {.name = "inner",
           .inputs = {"x", "handle_w", "handle_b"},
           .outputs = {"r"},
           .nodes = {read_w, read_b,
                     node_bytes("net/Mul", "Mul", {"x", "read_w:value:0"}, kOfFloats),
                     node_bytes("net/Add", "AddV2", {"net/Mul:z:0", "read_b:value:0"}, kOfFloats)},
           .returned = {{"r", "net/Add:z:0"}}});
  return {.graph = graph.bytes(),
          .inputs = {{"x", "serving_default_x:0"}},
          .outputs = {{"y", "call:0"}}};
}

const std::map<std::string, Tensor> kValues{
    {"dense/kernel", Tensor::from<float>({2}, {2, 3})},
    {"dense/bias", Tensor::from<float>({2}, {1, -1})},
};

SavedGraph graph_of(const std::string& bytes) {
  return {"saved", MappedFile::from_bytes(bytes)};
}

Graph frozen(const Saved& saved, const std::map<std::string, Tensor>& values = kValues) {
  return model_of(graph_of(saved.bytes()).frozen(values)).graph;
}

std::string refusal_of(const Saved& saved, Errc code) {
  try {
    frozen(saved);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return {};
}

TEST(SavedGraph, KnowsTheVariablesThatItsOutputsNeed) {
  const SavedGraph graph = graph_of(small_saved().bytes());
  EXPECT_THAT(graph.tags(), ElementsAre("serve"));
  std::vector<std::string> names;
  for (const Variable& variable : graph.variables()) names.push_back(variable.node);
  EXPECT_THAT(names, UnorderedElementsAre("dense/kernel", "dense/bias"));
}

TEST(SavedGraph, BecomesAGraphOfConstantsWithoutCalls) {
  const Graph graph = frozen(small_saved());
  EXPECT_THAT(names_of(graph.inputs), ElementsAre("x"));
  EXPECT_THAT(names_of(graph.outputs), ElementsAre("y"));
  EXPECT_THAT(types_of(graph.nodes), ElementsAre("Mul", "AddV2", "Identity", "Identity"));
  EXPECT_THAT(maker(graph, "net/Mul").inputs, ElementsAre("x", "dense/kernel"));
  EXPECT_THAT(maker(graph, "net/Add").inputs, ElementsAre("net/Mul", "dense/bias"));
  EXPECT_EQ(aligned(graph.weights.at("dense/kernel")).data<float>()[1], 3);
}

TEST(SavedGraph, TellsNodesOfTwoCallsApart) {
  Saved saved = small_saved();
  GraphBytes more;
  more.node("again", "StatefulPartitionedCall", {"call", "dense/kernel", "dense/bias"},
            {{"f", function("outer")}});
  saved.graph += more.bytes();
  saved.outputs = {{"y", "again:0"}};
  const Graph graph = frozen(saved);
  EXPECT_THAT(maker(graph, "again/inner/net/Mul").inputs,
              ElementsAre("call/Identity", "dense/kernel"));
  EXPECT_EQ(maker(graph, "call/inner/net/Mul").inputs[0], "x");
}

TEST(SavedGraph, TakesVariablesAndInnerInputsOfTensorFlowOne) {
  GraphBytes graph;
  graph.producer(1286)
      .input("file", {1})
      .node("decoded", "Neg", {"file"}, kOfFloats)
      .node("w", "VariableV2", {}, kOfVariable)
      .node("w/Assign", "Assign", {"w", "file"}, kOfFloats)
      .node("w/read", "Identity", {"w"}, {{"T", type(kFloat)}, {"_class", texts({"loc:@w"})}})
      .node("product", "Mul", {"decoded", "w/read", "^w/Assign"}, kOfFloats);
  const Saved saved{.graph = graph.bytes(),
                    .inputs = {{"images", "decoded:0"}},
                    .outputs = {{"product", "product:0"}}};
  const Graph frozen_graph = frozen(saved, {{"w", Tensor::from<float>({1}, {5})}});
  EXPECT_THAT(names_of(frozen_graph.inputs), ElementsAre("images"));
  EXPECT_THAT(names_of(frozen_graph.outputs), ElementsAre("product_1")) << "a node has its name";
  EXPECT_THAT(maker(frozen_graph, "product").inputs, ElementsAre("images", "w/read"));
  EXPECT_THAT(maker(frozen_graph, "w/read").attributes.count("_class"), 0);
}

TEST(SavedGraph, GathersFromTheConstantThatAVariableBecomes) {
  GraphBytes graph;
  graph.producer(1286)
      .input("ids", {3})
      .node("table", "VarHandleOp", {}, kOfVariable)
      .node("rows", "ResourceGather", {"table", "ids"},
            {{"dtype", type(kFloat)}, {"Tindices", type(kInt32)}});
  const Saved saved{
      .graph = graph.bytes(), .inputs = {{"i", "ids:0"}}, .outputs = {{"r", "rows:0"}}};
  const Graph result = frozen(saved, {{"table", Tensor::from<float>({2, 1}, {5, 6})}});
  const Node& gather = maker(result, "rows");
  EXPECT_EQ(gather.type, "GatherV2");
  EXPECT_THAT(gather.inputs, testing::Contains("table"));
}

TEST(SavedGraph, RefusesWhatNoFrozenGraphHolds) {
  Saved saved = small_saved();
  GraphBytes more;
  more.node("words", "HashTableV2", {})
      .node("found", "LookupTableFindV2", {"words", "serving_default_x", "serving_default_x"})
      .node("count", "VarHandleOp", {}, kOfVariable)
      .node("next", "CountUpTo", {"count"}, kOfFloats);
  saved.graph += more.bytes();
  saved.outputs = {{"y", "found:0"}};
  EXPECT_THAT(refusal_of(saved, Errc::unsupported), HasSubstr("saved: 'words' is of a table"));
  saved.outputs = {{"y", "next:0"}};
  EXPECT_THAT(refusal_of(saved, Errc::unsupported),
              HasSubstr("'next' (CountUpTo) takes the variable 'count' itself"));
  saved = small_saved();
  EXPECT_THROW(frozen(saved, {}), Error) << "of a type that nobody could read";
}

TEST(SavedGraph, RefusesSignaturesThatLeadNowhere) {
  Saved saved = small_saved();
  saved.outputs = {{"y", "nobody:0"}};
  EXPECT_THAT(refusal_of(saved, Errc::bad_input), HasSubstr("names 'nobody', which is not there"));
  saved.outputs = {{"y", ""}};
  EXPECT_THAT(refusal_of(saved, Errc::unsupported), HasSubstr("'y' of its signature"));
  saved.outputs = {};
  EXPECT_THAT(refusal_of(saved, Errc::unsupported), HasSubstr("names no output"));
  saved.name = "__saved_model_init_op";
  EXPECT_THAT(refusal_of(saved, Errc::unsupported), HasSubstr("has no signature"));
}

TEST(SavedGraph, ThrowsNothingButErrorsWhateverTheFileSays) {
  std::string bytes = small_saved().bytes();
  std::size_t whole = 0;
  const auto look = [&](const std::string& text) {
    try {
      graph_of(text).frozen(kValues);
      ++whole;
    } catch (const Error&) {  // nothing else comes out
    }
  };
  for (std::size_t size = 0; size < bytes.size(); ++size) look(bytes.substr(0, size));
  EXPECT_EQ(whole, 0U) << "a part is no whole";
  for (char& byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char before = byte;
      byte = static_cast<char>(static_cast<unsigned char>(before) ^ (1U << bit));
      look(bytes);
      byte = before;
    }
  }
  EXPECT_GT(whole, 0U);
}

}  // namespace
}  // namespace quantlens::graphdef
