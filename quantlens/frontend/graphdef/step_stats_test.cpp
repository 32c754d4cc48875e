// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/step_stats.h"

#include <functional>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <protozero/exception.hpp>
#include <protozero/pbf_writer.hpp>

#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::IsEmpty;

std::string message(const std::function<void(pbf_writer&)>& fill) {
  std::string bytes;
  pbf_writer writer(bytes);
  fill(writer);
  return bytes;
}

/// A TensorShapeProto.
std::string dims(const std::vector<std::int64_t>& extents) {
  return message([&](pbf_writer& shape) {
    for (const std::int64_t extent : extents) {
      shape.add_message(TensorShapeProto::dim, message([&](pbf_writer& dim) {
                          dim.add_int64(DimensionProto::size, extent);
                        }));
    }
  });
}

std::string result(std::int64_t slot, std::int64_t type, const std::string& shape) {
  return message([&](pbf_writer& out) {
    out.add_int64(NodeOutput::slot, slot);
    out.add_message(NodeOutput::tensor_description, message([&](pbf_writer& tensor) {
                      tensor.add_int64(TensorDescription::dtype, type);
                      tensor.add_message(TensorDescription::shape, shape);
                    }));
  });
}

/// A NodeExecStats with these results.
std::string stats(const std::string& name, const std::vector<std::string>& results = {}) {
  return message([&](pbf_writer& out) {
    out.add_string(NodeExecStats::node_name, name);
    out.add_int64(NodeExecStats::all_start_micros, 1700);
    out.add_int64(NodeExecStats::all_end_rel_micros, 5);
    for (const std::string& one : results) out.add_message(NodeExecStats::output, one);
    out.add_string(NodeExecStats::timeline_label, name + " = Relu(x)");
    out.add_int64(NodeExecStats::all_start_nanos, 1'700'000);
    out.add_int64(NodeExecStats::all_end_rel_nanos, 5250);
  });
}

/// A RunMetadata of these nodes on one device each, and a graph.
std::string metadata(const std::vector<std::string>& nodes, const std::string& graph) {
  const std::string steps = message([&](pbf_writer& out) {
    for (const std::string& node : nodes) {
      out.add_message(StepStats::dev_stats, message([&](pbf_writer& device) {
                        device.add_string(DeviceStepStats::device, "/device:CPU:0");
                        device.add_message(DeviceStepStats::node_stats, node);
                      }));
    }
  });
  return message([&](pbf_writer& out) {
    out.add_message(RunMetadata::step_stats, steps);
    out.add_message(RunMetadata::partition_graphs, graph);
  });
}

/// All that can be read of it; false where it is no such message.
bool is_read(std::string_view bytes) {
  try {
    const RunNotes notes = read_run_metadata(bytes);
    for (const std::string_view node : notes.nodes) {
      (void)read_node_stats(node);
      for (const NodeResult& one : read_results(node)) {
        EXPECT_TRUE(element_count(one.shape).has_value());
      }
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

TEST(StepStats, HaveNodesOfAllDevicesAndTheGraph) {
  const std::string bytes = metadata({stats("a"), stats("b")}, "graph");
  const RunNotes notes = read_run_metadata(bytes);
  ASSERT_EQ(notes.nodes.size(), 2U);
  EXPECT_THAT(notes.graphs, ElementsAre("graph"));
  const NodeStats b = read_node_stats(notes.nodes[1]);
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.label, "b = Relu(x)");
  EXPECT_EQ(b.start_us, 1700);
  EXPECT_EQ(b.us, 5);
  EXPECT_EQ(b.start_ns, 1'700'000);
  EXPECT_EQ(b.ns, 5250);
}

TEST(StepStats, HaveTypesOfResultsAsFarAsTheyAreKnown) {
  const std::string unknown_rank =
      message([](pbf_writer& out) { out.add_bool(TensorShapeProto::unknown_rank, true); });
  constexpr std::int64_t kComplex = 8, kQint8 = 11;
  const std::string node =
      stats("a", {result(0, kFloat, dims({1, 7})), result(1, kQint8, ""),
                  result(2, kComplex, dims({1})), result(3, 99, dims({1})),
                  result(4, kFloat, unknown_rank), result(5, kFloat, dims({-1})),
                  result(-6, kFloat, dims({1})), result(7, kFloat, dims({1LL << 62, 1LL << 62}))});
  const std::vector<NodeResult> results = read_results(node);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].slot, 0U);
  EXPECT_EQ(results[0].dtype, DType::float32);
  EXPECT_EQ(results[0].shape, (Shape{1, 7}));
  EXPECT_EQ(results[1].slot, 1U);
  EXPECT_EQ(results[1].dtype, DType::int8);
  EXPECT_EQ(results[1].shape, Shape()) << "a scalar";
}

TEST(StepStats, FieldsOfOtherFormsArePassedOver) {
  const std::string node = message([](pbf_writer& out) {
    out.add_int64(NodeExecStats::node_name, 5);
    out.add_string(NodeExecStats::all_end_rel_nanos, "long");
    out.add_string(200, "new");
    out.add_fixed64(NodeExecStats::all_start_nanos, 7);
  });
  EXPECT_EQ(read_node_stats(node).name, "");
  EXPECT_EQ(read_node_stats(node).ns, 0);
  EXPECT_EQ(read_node_stats(node).start_ns, 0);
  EXPECT_THAT(read_results(node), IsEmpty());
}

TEST(StepStats, BytesThatAreCutOffAreRefusedOrLess) {
  const std::string bytes =
      metadata({stats("a", {result(0, kFloat, dims({1, 7}))}), stats("b")}, "graph");
  ASSERT_TRUE(is_read(bytes));
  std::size_t refused = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (!is_read(std::string_view(bytes).substr(0, size))) ++refused;
  }
  EXPECT_GT(refused, bytes.size() - 10) << "all but ends of whole fields";
}

TEST(StepStats, BytesThatAreDamagedAreReadOrRefused) {
  const std::string bytes =
      metadata({stats("a", {result(0, kFloat, dims({1, 7}))}), stats("b")}, "graph");
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 1 + i % 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (!is_read(damaged)) ++refused;
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace quantlens::graphdef
