// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/write.h"

#include <algorithm>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

constexpr std::size_t kBatchNorm = 1, kRelu = 2, kSecondConv = 4, kIf = 6;  // nodes of small_graph

std::vector<std::string> ids(const Graph& graph) {
  std::vector<std::string> out;
  for (const Node& node : graph.nodes) out.push_back(op_id(node));
  return out;
}

/// An edit of every kind.
Edit large_edit() {
  Edit edit;
  edit.removed = {kBatchNorm};
  edit.outputs[0][0] = "n1";
  edit.inputs[kSecondConv] = {{0, "r1_copy"}, {1, "new"}};
  edit.captured[kIf]["r1"] = "r1_copy";
  edit.inserted.emplace(kSecondConv, make_node("Identity", {"r1"}, {"r1_copy"}));
  edit.removed_weights = {"scale", "bias", "mean", "variance"};
  edit.weights = {{"new", Tensor::from<float>({2, 2, 1, 1}, {1, 2, 3, 4})}};
  edit.outputs_added = {float_value("r1", {dim(1)})};
  edit.values_dropped = {"c1"};
  edit.opsets = {{"", 15}, {"com.microsoft", 1}};
  edit.metadata = {{"author", "somebody"}, {"more", "yes"}};
  return edit;
}

TEST(WriteOnnx, CopiesEveryByteWhereNothingChanges) {
  const std::string bytes = with_unknown_fields(model_of(small_graph()).file.text());
  EXPECT_EQ(written(model_of(bytes), {}), bytes);
}

TEST(WriteOnnx, NamesNodesWithAndWithoutAName) {
  Graph graph = small_graph();
  graph.nodes[kRelu].name = "old";
  graph.nodes[kSecondConv].name.clear();
  Edit edit;
  edit.names = {{kRelu, "relu"}, {kSecondConv, "conv"}};
  const Model model = model_of(written(model_of(graph), edit));
  EXPECT_EQ(model.graph.nodes[kRelu].name, "relu");
  EXPECT_EQ(model.graph.nodes[kSecondConv].name, "conv");
}

/// The runtime takes nodes in any order, and so do files of its quantizer, in which the If stands
/// before what its bodies read.
TEST(WriteOnnx, EditsFilesWhoseNodesAreInNoOrder) {
  Graph reversed = small_graph();
  std::ranges::reverse(reversed.nodes);
  const Model model = model_of(reversed);
  const std::vector<std::string> sorted = ids(model.graph);
  const auto place = [&](const std::string& id) {
    return static_cast<std::size_t>(std::ranges::find(sorted, id) - sorted.begin());
  };
  EXPECT_LT(place("c1"), place("n1"));
  EXPECT_LT(place("n1"), place("r1"));
  EXPECT_LT(place("r1"), place("z")) << "its bodies read it";
  Edit edit;
  edit.names = {{place("r1"), "relu"}, {place("z"), "choice"}};
  edit.inputs[place("r1")][0] = "copy";
  edit.inserted.emplace(place("r1"), make_node("Identity", {"n1"}, {"copy"}));
  const Model after = model_of(written(model, edit));
  std::vector<std::string> expected = sorted;
  expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(place("r1")), "copy");
  EXPECT_EQ(ids(after.graph), expected);
  for (const Node& node : after.graph.nodes) {
    const std::string name = op_id(node) == "r1"  ? "relu"
                             : op_id(node) == "z" ? "choice"
                                                  : "node_" + op_id(node);
    EXPECT_EQ(node.name, name);
  }
  EXPECT_EQ(ids(model_of(written(after, {})).graph), expected);
}

TEST(WriteOnnx, ReadsBodiesWhoseNodesAreInNoOrder) {
  Graph graph = small_graph();
  Graph body = *graph.nodes[kIf].subgraphs.begin()->second;
  body.nodes = {make_node("Relu", {"sum"}, {"out"}), make_node("Add", {"r1", "offset"}, {"sum"})};
  body.outputs = {float_value("out", {})};
  graph.nodes[kIf].subgraphs.begin()->second = std::make_shared<Graph>(body);
  const Model model = model_of(graph);
  EXPECT_EQ(ids(*model.graph.nodes[kIf].subgraphs.begin()->second),
            (std::vector<std::string>{"sum", "out"}));
}

TEST(WriteOnnx, MakesAllTheChangesOfAnEdit) {
  const Model model = model_of(written(model_of(small_graph()), large_edit()));
  const Graph& graph = model.graph;
  EXPECT_EQ(ids(graph),
            (std::vector<std::string>{"n1", "r1", "b2", "r1_copy", "y", "condition", "z"}));
  EXPECT_EQ(graph.nodes[4].inputs, (std::vector<std::string>{"r1_copy", "new", "b2"}));
  EXPECT_EQ(captured_values(graph.nodes[6]), std::vector<std::string>{"r1_copy"});
  EXPECT_FALSE(graph.weights.contains("scale"));
  EXPECT_EQ(aligned(graph.weights.at("new")).data<float>()[3], 4);
  EXPECT_EQ(graph.outputs.size(), 3U);
  EXPECT_EQ(graph.outputs[2].shape, std::vector<Dim>{dim(1)});
  EXPECT_FALSE(graph.values.contains("c1"));
  EXPECT_TRUE(graph.values.contains("n1"));
  EXPECT_EQ(model.opsets, (std::map<std::string, std::int64_t>{{"", 15}, {"com.microsoft", 1}}));
  EXPECT_EQ(model.metadata,
            (std::map<std::string, std::string>{{"author", "somebody"}, {"more", "yes"}}));
}

TEST(WriteOnnx, CopiesUntouchedNodesAndWeightsByteForByte) {
  const std::string before = with_unknown_fields(model_of(small_graph()).file.text());
  const std::string after = written(model_of(before), large_edit());
  const auto nodes = node_bytes(after);
  for (const char* name : {"r1", "b2", "condition"}) {
    EXPECT_EQ(nodes.at(name), node_bytes(before).at(name)) << name;
  }
  for (const char* name : {"w1", "w2"}) {
    EXPECT_EQ(weight_bytes(after).at(name), weight_bytes(before).at(name)) << name;
  }
}

TEST(WriteOnnx, KeepsTheUnknownFieldsOfEverythingThatStays) {
  const std::string before = with_unknown_fields(model_of(small_graph()).file.text());
  const std::vector<std::string> all = unknown_fields(before);
  ASSERT_GT(all.size(), 100U);
  Edit edit = large_edit();
  edit.removed.clear();  // nothing goes, much changes
  edit.outputs.clear();
  edit.removed_weights.clear();
  edit.values_dropped.clear();
  EXPECT_EQ(unknown_fields(written(model_of(before), edit)), all);
}

TEST(WriteOnnx, ChangesOnlyTheNamesOfANodeThatIsRewired) {
  const Model model = model_of(with_unknown_fields(model_of(small_graph()).file.text()));
  Edit edit;
  edit.inputs[kSecondConv][0] = "n1";
  std::string expected = node_bytes(model.file.text()).at("y");
  const std::size_t at = expected.find("r1");
  expected.replace(at, 2, "n1");
  EXPECT_EQ(node_bytes(written(model, edit)).at("y"), expected);
}

TEST(WriteOnnx, AppendsInputsPastTheEndWithEmptyNamesBetween) {
  const Model model = model_of(small_graph());
  Edit edit;
  edit.inputs[kRelu][3] = "x";
  edit.inputs[3][0] = "x";  // the Constant node, which has none
  const Graph graph = model_of(written(model, edit)).graph;
  EXPECT_EQ(graph.nodes[kRelu].inputs, (std::vector<std::string>{"n1", "", "", "x"}));
  EXPECT_EQ(graph.nodes[3].inputs, std::vector<std::string>{"x"});
}

TEST(WriteOnnx, InsertsNodesInTheirOrderBeforeTheNodeNamed) {
  Edit edit;
  edit.inserted.emplace(0, make_node("Identity", {"x"}, {"a"}));
  edit.inserted.emplace(0, make_node("Identity", {"a"}, {"b"}));
  edit.inserted.emplace(7, make_node("Identity", {"z"}, {"last"}));
  const std::vector<std::string> order =
      ids(model_of(written(model_of(small_graph()), edit)).graph);
  EXPECT_EQ(order[0], "a");
  EXPECT_EQ(order[1], "b");
  EXPECT_EQ(order.back(), "last");
}

TEST(WriteOnnx, KeepsAnOperatorSetThatIsNewerThanAsked) {
  Edit edit;
  edit.opsets[""] = 10;
  EXPECT_EQ(model_of(written(model_of(small_graph()), edit)).opsets.at(""), 13);
}

TEST(WriteOnnx, WritesWeightsOutsideAsStubsWithoutData) {
  const Model model = model_of(with_unknown_fields(model_of(small_graph()).file.text()));
  Edit edit;
  edit.weights = {{"new", Tensor::from<float>({3}, {1, 2, 3})}};
  std::set<std::string> asked;
  const WriteOptions options{[&](const std::string& name, const Tensor& weight) {
    asked.insert(name);
    return name == "new" || weight.size() > 5;
  }};
  const std::string bytes = written(model, edit, options);
  EXPECT_EQ(asked.size(), 7U);
  EXPECT_EQ(weight_bytes(bytes).at("scale"), weight_bytes(model.file.text()).at("scale"));
  for (const auto& [name, length] : std::map<std::string, std::uint64_t>{{"w1", 24}, {"new", 12}}) {
    const std::string field = weight_bytes(bytes).at(name);
    std::vector<Field> entries;
    bool has_data = false;
    Field tensor;
    Fields(field).next(tensor);
    Fields fields(tensor.payload);
    for (Field part; fields.next(part);) {
      if (part.key == bytes_key(TensorProto::external_data)) entries.push_back(part);
      has_data = has_data || part.number() == TensorProto::raw_data;
    }
    const External external = read_external("", entries);
    EXPECT_EQ(external.location, "quantlens");
    EXPECT_EQ(external.offset, 0U);
    EXPECT_EQ(external.length, length);
    EXPECT_FALSE(has_data);
  }
  EXPECT_EQ(unknown_fields(bytes), unknown_fields(model.file.text()));
}

TEST(WriteOnnx, GivesOldFormatsTheirNewWeightsAsInputsToo) {
  Pieces graph = encode_graph(small_graph());
  graph.field(GraphProto::input, encode_value_info(float_value("w1", {dim(2)})));
  const Model model = model_of(file_with(std::move(graph), 3));
  Edit edit;
  edit.weights = {{"new", Tensor::from<float>({2}, {1, 2})}};
  edit.inputs[kRelu][1] = "new";
  edit.inputs[0][1] = "new";
  edit.removed_weights = {"w1"};
  const std::string bytes = written(model, edit);
  std::vector<ValueInfo> inputs;
  Fields fields(split_model(bytes).graph.value());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphProto::input)) inputs.push_back(read_value_info(field.payload));
  }
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[1].name, "new");
  EXPECT_EQ(inputs[1].shape, std::vector<Dim>{dim(2)});
}

TEST(WriteOnnx, AddsToAGraphThatHasNothingYet) {
  Graph graph;
  graph.inputs = {float_value("x", {})};
  graph.outputs = {float_value("x", {})};
  Edit edit;
  edit.inserted.emplace(0, make_node("Add", {"x", "w"}, {"y"}));
  edit.weights = {{"w", Tensor::scalar(1.0F)}};
  edit.outputs_added = {{"y", {}, {}}};
  const Graph out = model_of(written(model_of(graph), edit)).graph;
  EXPECT_EQ(out.nodes.size(), 1U);
  EXPECT_EQ(out.weights.size(), 1U);
  EXPECT_EQ(out.outputs.size(), 2U);
}

TEST(Serialize, GivesBackTheGraphThatItWasGiven) {
  Graph graph = small_graph();
  graph.weights["i4"] = Tensor(DType::int4, {3}, std::as_bytes(std::span("\xFF\x07\x00", 3)), {});
  graph.weights["text"] = Tensor::from_strings({2}, {"a", "b"});
  graph.nodes[2].subgraphs = {{"list[0]", std::make_shared<const Graph>()},
                              {"list[1]", std::make_shared<const Graph>()}};
  const Model once = model_of(graph);
  EXPECT_EQ(serialize(once.graph, once.opsets, once.metadata), once.file.text());
  EXPECT_EQ(to_int64(once.graph.weights.at("i4")), (std::vector<std::int64_t>{-1, 7, 0}));
  EXPECT_EQ(once.graph.nodes[2].subgraphs.size(), 2U);
}

}  // namespace
}  // namespace quantlens::onnx
