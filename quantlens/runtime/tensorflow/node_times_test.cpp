// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/node_times.h"

#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::tensorflow {
namespace {

using graphdef::GraphBytes;
using graphdef::kOfFloats;
using protozero::pbf_writer;
using testing::ElementsAre;

struct Noted {
  std::string name;
  std::int64_t start_ns = 0, ns = 0;
};

/// A RunMetadata of a run of these nodes; each gives a float [1,3].
std::string notes_of(const std::vector<Noted>& nodes, const std::vector<std::string>& graphs = {}) {
  std::string bytes;
  pbf_writer out(bytes);
  for (const std::string& graph : graphs)
    out.add_message(graphdef::RunMetadata::partition_graphs, graph);
  pbf_writer steps(out, graphdef::RunMetadata::step_stats);
  pbf_writer device(steps, graphdef::StepStats::dev_stats);
  for (const Noted& noted : nodes) {
    pbf_writer node(device, graphdef::DeviceStepStats::node_stats);
    node.add_string(graphdef::NodeExecStats::node_name, noted.name);
    {
      pbf_writer output(node, graphdef::NodeExecStats::output);
      output.add_int64(graphdef::NodeOutput::slot, 0);
      pbf_writer tensor(output, graphdef::NodeOutput::tensor_description);
      tensor.add_int64(graphdef::TensorDescription::dtype, graphdef::kFloat);
      pbf_writer shape(tensor, graphdef::TensorDescription::shape);
      for (const std::int64_t extent : {1, 3}) {
        pbf_writer dim(shape, graphdef::TensorShapeProto::dim);
        dim.add_int64(graphdef::DimensionProto::size, extent);
      }
    }
    node.add_int64(graphdef::NodeExecStats::all_start_nanos, noted.start_ns);
    node.add_int64(graphdef::NodeExecStats::all_end_rel_nanos, noted.ns);
  }
  return bytes;
}

/// Two branches, the second of which stands first, and a constant.
GraphBytes branches() {
  GraphBytes graph;
  graph.producer(1286)
      .node("_arg_x_0_0", "_Arg", {},
            {{"T", graphdef::type(graphdef::kFloat)}, {"index", graphdef::number(0)}})
      .constant("w", graphdef::floats({3}, {1, 2, 3}));
  graph.node("late", "Relu", {"_arg_x_0_0"}, kOfFloats)
      .node("early", "Mul", {"_arg_x_0_0", "w"}, kOfFloats)
      .node("y", "AddV2", {"late", "early"}, kOfFloats)
      .node("_retval_y_0_0", "_Retval", {"y"},
            {{"T", graphdef::type(graphdef::kFloat)}, {"index", graphdef::number(0)}});
  return graph;
}

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

const std::vector<Noted> kRun{
    {"_SOURCE", 1000, 2}, {"w", 1010, 30}, {"_arg_x_0_0", 1050, 4},   {"early", 1100, 20},
    {"late", 1200, 50},   {"y", 1300, 7},  {"_retval_y_0_0", 1400, 1}};

TEST(NodeTimes, TheGraphIsInTheOrderInWhichItsNodesRan) {
  const Graph graph = graph_that_ran(notes_of(kRun, {branches().bytes()}), "net.pb");
  EXPECT_THAT(node_names(graph), ElementsAre("early", "late", "y"));
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].name, "_arg_x_0_0");
}

TEST(NodeTimes, GraphsOfSeveralDevicesAreOne) {
  GraphBytes other;
  other.node("z", "Neg", {"early"}, kOfFloats);
  const Graph graph = graph_that_ran(notes_of(kRun, {branches().bytes(), other.bytes()}), "net.pb");
  EXPECT_THAT(node_names(graph), ElementsAre("early", "late", "y", "z")) << "z has not run";
}

TEST(NodeTimes, AreThoseOfTheExecutor) {
  NodeTimes times(branches().read().graph, "net.pb");  // late, early, y
  const RunTime time = times.read(notes_of(kRun), {.begin_ns = 900, .ns = 1000});
  EXPECT_THAT(time.nodes, ElementsAre(50, 20, 7));
  EXPECT_EQ(time.whole, 100 + 2 + 4 + 20 + 50 + 7 + 1U) << "to the first node, and all but w";
}

TEST(NodeTimes, OfOneNodeAddUpOverARun) {
  NodeTimes times(branches().read().graph, "net.pb");
  const std::string bytes = notes_of({{"y", 100, 5}, {"y", 200, 6}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(times.read(bytes, {.begin_ns = 100, .ns = 1000}).nodes, ElementsAre(0, 0, 11));
  }
}

TEST(NodeTimes, TypesAreThoseOfValuesThatAreNoConstants) {
  const NodeTimes times(branches().read().graph, "net.pb");
  const ValueTypes types = times.types(notes_of(kRun));
  ASSERT_TRUE(types.contains("y") && types.contains("_arg_x_0_0"));
  EXPECT_EQ(types.at("y").shape, (Shape{1, 3}));
  EXPECT_EQ(types.at("y").dtype, DType::float32);
  EXPECT_FALSE(types.contains("w"));
}

TEST(NodeTimes, FiguresThatCannotBeAreCutToWhatCan) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  NodeTimes times(branches().read().graph, "net.pb");
  const std::vector<std::vector<Noted>> runs{{{"y", -5, kMost}, {"late", kMost, kMost}},
                                             {{"y", kMost, -1}, {"early", 0, 3}},
                                             {{"unknown", 5, 5}, {"", 0, 0}},
                                             {}};
  for (const std::vector<Noted>& run : runs) {
    const RunTime time = times.read(notes_of(run), {.begin_ns = 50, .ns = 1000});
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : time.nodes) sum += ns;
    EXPECT_LE(sum, time.whole);
    EXPECT_LE(time.whole, 1000U);
  }
}

TEST(NodeTimes, NotesThatAreNotSoundAreToldInASentence) {
  NodeTimes times(branches().read().graph, "net.pb");
  const std::string bytes = notes_of(kRun, {branches().bytes()});
  std::mt19937 random(1);
  const auto is_told = [](const auto& act) {
    try {
      act();
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::failed);
      EXPECT_THAT(error.what(), testing::StartsWith("net.pb: what TensorFlow tells"));
      return true;
    }
  };
  int told = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 1 + i % 4; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    told += is_told([&] { times.read(damaged, {.begin_ns = 900, .ns = 1000}); });
    told += is_told([&] { (void)times.types(damaged); });
    told += is_told([&] { (void)graph_that_ran(damaged, "net.pb"); });
  }
  EXPECT_GT(told, 1000);
  EXPECT_TRUE(is_told([&] { (void)graph_that_ran(notes_of(kRun), "net.pb"); })) << "no graph";
}

}  // namespace
}  // namespace quantlens::tensorflow
