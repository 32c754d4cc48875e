// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/profile.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/probe_models.h"
#include "quantlens/profiling/event_cost.h"
#include "quantlens/profiling/machine.h"
#include "quantlens/profiling/ones_for.h"
#include "quantlens/profiling/pair/join.h"
#include "quantlens/profiling/sampler.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/testing_nets.h"

namespace quantlens {
namespace {

class Profiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  }
};

Batch batch_for(const Model& model) {
  return onnxruntime::batch_for(model, 4);
}

Profiled profile_both(const Model& first, const Model& second, const ProfileOptions& options) {
  const Batch a = batch_for(first);
  const Batch b = batch_for(second);
  const ToProfile models[] = {{first, {&a, 1}}, {second, {&b, 1}}};
  NoProgress progress;
  return profile(models, options, progress);
}

void expect_sound(const Profile& profile, const Graph& run) {
  EXPECT_GT(profile.explained, 0.5);
  EXPECT_LT(profile.explained, 1.5);
  ASSERT_EQ(profile.nodes.size(), run.nodes.size());
  std::set<std::uint64_t> positions;
  double nodes_total = 0;
  double nodes_mean = 0;
  for (const NodeTime& node : profile.nodes) {
    EXPECT_TRUE(positions.insert(node.position).second);
    EXPECT_EQ(node.name, op_name(run.nodes.at(node.position)));
    EXPECT_GE(node.mean_us, 0);
    nodes_total += node.total_us;
    nodes_mean += node.mean_us;
  }
  EXPECT_NEAR(nodes_mean, profile.nodes_us, 1e-6 * profile.nodes_us);
  double types_total = 0;
  std::uint64_t defined = 0;
  for (const NodeTime& type : profile.types) {
    types_total += type.total_us;
    defined += type.defined;
  }
  EXPECT_NEAR(types_total, nodes_total, 1e-6 * nodes_total);
  EXPECT_EQ(defined, run.nodes.size());
}

TEST_F(Profiles, OfAFloatAndAQuantizedModelAreSound) {
  const Model floats = onnxruntime::model_of(onnxruntime::small_net());
  const Model codes = onnxruntime::model_of(onnxruntime::small_net_quantized());
  const Profiled both = profile_both(floats, codes, {.iterations = 150});
  ASSERT_EQ(both.profiles.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    expect_sound(both.profiles[i], both.graphs[i]);
    EXPECT_EQ(both.profiles[i].wall.runs, 150u);
    EXPECT_EQ(both.profiles[i].batch_size, 4u);
    EXPECT_TRUE(both.profiles[i].machine.has_value());
    for (const NodeTime& node : both.profiles[i].nodes) {
      EXPECT_TRUE(node.role != NodeRole::op || !node.ops.empty()) << node.name;
      EXPECT_TRUE(node.bytes.has_value()) << node.name;
    }
  }
  const auto rows = join({floats.graph, both.graphs[0], both.types[0], both.profiles[0]},
                         {codes.graph, both.graphs[1], both.types[1], both.profiles[1]}, Pairing());
  double of_reference = 0;
  double of_quantized = 0;
  for (const OpTime& row : rows) {
    EXPECT_FALSE(row.ops.empty());
    of_reference += row.reference_us;
    of_quantized += row.quantized_us + row.conversion_us + row.layout_us;
  }
  EXPECT_NEAR(of_reference, both.profiles[0].nodes_us, 1e-6);
  EXPECT_NEAR(of_quantized, both.profiles[1].nodes_us, 1e-6);
}

TEST_F(Profiles, AModelIsAsFastAsItself) {
  const Model model = onnxruntime::model_of(onnxruntime::branching_net());
  const Profiled both = profile_both(model, model, {.iterations = 300, .machine = false});
  ASSERT_TRUE(both.ratio.has_value());
  const auto [low, high] = both.ratio->interval;
  EXPECT_TRUE((low <= 1 && high >= 1) || std::abs(both.ratio->value - 1) < 0.05)
      << both.ratio->value << " " << low << " " << high;
  EXPECT_EQ(both.profiles[0].machine, std::nullopt);
}

TEST_F(Profiles, OfOneModelHaveNoRatioAndOfTwoThreadsAScaling) {
  const Model model = onnxruntime::model_of(onnxruntime::small_net());
  const Batch batch = batch_for(model);
  const ToProfile one[] = {{model, {&batch, 1}}};
  NoProgress progress;
  const Profiled single =
      profile(one, {.threads = 2, .iterations = 30, .machine = false}, progress);
  EXPECT_FALSE(single.ratio.has_value());
  ASSERT_EQ(single.profiles.size(), 1u);
  EXPECT_TRUE(std::ranges::any_of(single.profiles[0].nodes,
                                  [](const NodeTime& node) { return node.scaling.has_value(); }));
}

TEST_F(Profiles, FewerRunsThanRoundsTellNoRatioAndNoneNoTime) {
  const Model model = onnxruntime::model_of(onnxruntime::small_net());
  const Profiled once = profile_both(model, model, {.iterations = 1, .machine = false});
  EXPECT_EQ(once.profiles[0].wall.runs, 1u);
  EXPECT_EQ(once.ratio->interval[0], 0);
  EXPECT_TRUE(std::isinf(once.ratio->interval[1]));
  const Profiled never = profile_both(model, model, {.iterations = 0, .machine = false});
  EXPECT_EQ(never.profiles[0].wall.runs, 0u);
  EXPECT_EQ(never.profiles[0].explained, 0);
  for (const NodeTime& node : never.profiles[0].nodes) EXPECT_EQ(node.share, 0);
}

TEST_F(Profiles, AModelWithoutNodesHasNone) {
  Graph graph;
  graph.inputs = {onnxruntime::info("x", DType::float32, {2})};
  graph.outputs = {onnxruntime::info("y", DType::float32, {2})};
  graph.weights["w"] = Tensor::from<float>({2}, {1, 2});
  graph.nodes = {onnxruntime::op("Neg", {"w"}, "y")};
  const Model model = onnxruntime::model_of(graph);
  const Profiled both = profile_both(model, model, {.iterations = 6, .machine = false});
  EXPECT_TRUE(both.profiles[0].nodes.empty());
  EXPECT_EQ(both.profiles[0].nodes_us, 0);
  EXPECT_TRUE(std::isfinite(both.profiles[0].explained));
}

TEST_F(Profiles, AStopIsObeyed) {
  class Stop final : public Progress {
   public:
    void begin(std::string_view, std::optional<std::uint64_t>) override {}
    void advance(std::uint64_t) override {}
    void end() override {}
    void note(std::string_view) override {}
    bool stop_requested() const override { return true; }
  };
  const Model model = onnxruntime::model_of(onnxruntime::small_net());
  const Batch batch = batch_for(model);
  const ToProfile one[] = {{model, {&batch, 1}}};
  Stop stop;
  try {
    profile(one, {.warm_up = 100'000'000, .machine = false}, stop);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

TEST_F(Profiles, ASamplerRunsAllItsBatchesInTurn) {
  const Model model = onnxruntime::model_of(onnxruntime::small_net());
  const Batch batches[] = {onnxruntime::batch_for(model, 1), onnxruntime::batch_for(model, 3)};
  NoProgress progress;
  Sampler sampler(model, batches, {}, progress);
  sampler.open(1);
  Sampler* const only = &sampler;
  take_samples({&only, 1}, 0, 4);
  sampler.open(0);
  take_samples({&only, 1}, 4, 1);
  const RunTimes& samples = sampler.samples();
  EXPECT_EQ(samples.wall_us.size(), 5u);
  EXPECT_EQ(samples.timed_us.size(), 5u);
  EXPECT_EQ(samples.nodes_us.size(), 5 * samples.graph.nodes.size());
  for (std::size_t run = 0; run < 5; ++run) {
    double sum = 0;
    for (const float us : samples.run(run)) sum += us;
    EXPECT_LE(sum, samples.timed_us[run] * 1.001);
  }
}

TEST_F(Profiles, ATimerCostsNoLessThanNothing) {
  for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1000}}) {
    const EventCost cost =
        event_cost({.format = "onnx", .nodes = 0, .elements = elements}, {}, NoProgress());
    EXPECT_GE(cost.inside_us, 0);
    EXPECT_GE(cost.outside_us, 0);
    EXPECT_LT(cost.inside_us, 1000);
  }
}

TEST_F(Profiles, AMachineCanDoSomething) {
  const Machine machine = measure_machine("onnx", {.threads = 0});
  for (const double rate :
       {machine.gb_per_second, machine.float_gop_per_second, machine.int8_gop_per_second}) {
    EXPECT_GT(rate, 0);
    EXPECT_TRUE(std::isfinite(rate));
  }
}

TEST_F(Profiles, NoNodeOfASyntheticChainIsFusedAway) {
  const Model model = frontend::chain_model("onnx", 60, 64);
  const auto run = open_timed(model, {.nodes = true});
  EXPECT_EQ(run->graph().nodes.size(), 60u);
  const Model product = frontend::product_model("onnx", 16, true);
  EXPECT_TRUE(uses_codes(product.graph));
  const auto timed = open_timed(product, {});
  EXPECT_GT(timed->run(timed->add(ones_for(product))).whole, 0u);
}

}  // namespace
}  // namespace quantlens
