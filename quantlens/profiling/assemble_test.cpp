// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/assemble.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/profiling/testing/profiled.h"

namespace quantlens {
namespace {

/// conv -> relu -> conv, each node one op of the file.
Model file_of_three() {
  Model model;
  model.path = "three.onnx";
  model.graph =
      graph_of({"x"}, {node_of(Kind::conv, {"x", "w"}, "a"), node_of(Kind::relu, {"a"}, "b"),
                       node_of(Kind::conv, {"b", "w"}, "y")});
  return model;
}

/// Four runs: nodes take 10, 1 and 20 us, 3 us are outside; without timers 30.
RunTimes samples_of_three() {
  RunTimes samples;
  samples.graph = file_of_three().graph;
  for (const std::string value : {"x", "a", "b", "y"}) {
    samples.types[value] = {DType::float32, {1, 2, 4, 4}};
  }
  samples.graph.weights["w"] = Tensor::from<float>({2, 2, 1, 1}, std::vector<float>(4));
  for (int run = 0; run < 4; ++run) {
    samples.wall_us.push_back(30);
    samples.timed_us.push_back(34);
    samples.nodes_us.insert(samples.nodes_us.end(), {10, 1, 20});
  }
  return samples;
}

TEST(Assemble, EveryNodeHasARowTheLongestFirst) {
  const Profile profile = assemble(file_of_three(), samples_of_three(), nullptr, {.threads = 2});
  ASSERT_EQ(profile.nodes.size(), 3u);
  EXPECT_EQ(profile.nodes[0].name, "y_op");
  EXPECT_EQ(profile.nodes[0].position, 2u);
  EXPECT_EQ(profile.nodes[0].ops, std::vector<OpRef>({{"y", "y_op"}}));
  EXPECT_EQ(profile.nodes[0].inputs[0], "float32[1,2,4,4]");
  EXPECT_EQ(profile.nodes[2].position, 1u);
  EXPECT_EQ(profile.threads, 2u);
  EXPECT_EQ(profile.source, ProfileSource::quantlens);
}

TEST(Assemble, TimesAreOfOneRunAndTotalsOfAll) {
  const Profile profile = assemble(file_of_three(), samples_of_three(), nullptr, {});
  const NodeTime& longest = profile.nodes[0];
  EXPECT_DOUBLE_EQ(longest.mean_us, 20);
  EXPECT_DOUBLE_EQ(longest.total_us, 80);
  EXPECT_EQ(longest.runs, 4u);
  EXPECT_NEAR(longest.share, 20.0 / 30, 1e-9);
  EXPECT_DOUBLE_EQ(profile.nodes_us, 31);
  EXPECT_DOUBLE_EQ(profile.outside_us, 3);
  EXPECT_NEAR(profile.explained, 34.0 / 30, 1e-9);
}

TEST(Assemble, TheTimersCostIsTakenOffDownToNothing) {
  const Profile profile = assemble(file_of_three(), samples_of_three(), nullptr,
                                   {.event = {.inside_us = 2, .outside_us = 0.5}});
  EXPECT_DOUBLE_EQ(profile.nodes[0].mean_us, 18);
  EXPECT_DOUBLE_EQ(profile.nodes[2].mean_us, 0);
  EXPECT_DOUBLE_EQ(profile.nodes_us, 26);
  EXPECT_DOUBLE_EQ(profile.outside_us, 1.5);
  EXPECT_DOUBLE_EQ(profile.event_us, 2);
}

TEST(Assemble, TypesAddUpToTheNodes) {
  const Profile profile = assemble(file_of_three(), samples_of_three(), nullptr, {});
  ASSERT_EQ(profile.types.size(), 2u);
  EXPECT_EQ(profile.types[0].type, "conv");
  EXPECT_EQ(profile.types[0].defined, 2u);
  EXPECT_EQ(profile.types[0].runs, 8u);
  EXPECT_DOUBLE_EQ(profile.types[0].total_us, 120);
  EXPECT_DOUBLE_EQ(profile.types[1].total_us, 4);
}

TEST(Assemble, WhatKeepsANodeBusyIsToldByTheMachine) {
  Machine machine{.gb_per_second = 1, .float_gop_per_second = 1, .int8_gop_per_second = 1};
  const Profile slow = assemble(file_of_three(), samples_of_three(), nullptr, {.machine = machine});
  EXPECT_EQ(slow.nodes[2].bound, Bound::memory) << "256 bytes in 1 us, 32 operations";
  EXPECT_NEAR(slow.nodes[2].gb_per_second.value(), 0.256, 1e-9);
  EXPECT_NEAR(slow.nodes[2].gop_per_second.value(), 0.032, 1e-9);
  machine.float_gop_per_second = 0.01;
  const Profile weak = assemble(file_of_three(), samples_of_three(), nullptr, {.machine = machine});
  EXPECT_EQ(weak.nodes[2].bound, Bound::compute);
  machine.float_gop_per_second = 0;
  const Profile untold =
      assemble(file_of_three(), samples_of_three(), nullptr, {.machine = machine});
  EXPECT_EQ(untold.nodes[2].bound, Bound::memory) << "the runtime has no such product";
  machine = {.gb_per_second = 100, .float_gop_per_second = 100, .int8_gop_per_second = 100};
  const Profile fast = assemble(file_of_three(), samples_of_three(), nullptr, {.machine = machine});
  EXPECT_EQ(fast.nodes[2].bound, Bound::overhead);
  EXPECT_EQ(assemble(file_of_three(), samples_of_three(), nullptr, {}).nodes[2].bound,
            std::nullopt);
}

TEST(Assemble, ProvidersAreThoseOfOnnxRuntimeAlone) {
  EXPECT_EQ(assemble(file_of_three(), samples_of_three(), nullptr, {}).nodes[0].provider,
            "CPUExecutionProvider");
  Model file = file_of_three();
  file.format = "graphdef";
  EXPECT_EQ(assemble(file, samples_of_three(), nullptr, {}).nodes[0].provider, "");
}

TEST(Assemble, ScalingIsTheTimeWithOneThreadOverThatWithAll) {
  RunTimes single = samples_of_three();
  for (float& us : single.nodes_us) us *= 3;
  const Profile profile = assemble(file_of_three(), samples_of_three(), &single, {.threads = 4});
  for (const NodeTime& node : profile.nodes) EXPECT_NEAR(node.scaling.value(), 3, 1e-6);
}

TEST(Assemble, WhereOneThreadMakesAnotherGraphThereIsNoScaling) {
  RunTimes single;
  single.graph.nodes = {samples_of_three().graph.nodes[0]};
  single.timed_us = {7};
  single.nodes_us = {5};
  const Profile profile = assemble(file_of_three(), samples_of_three(), &single, {});
  for (const NodeTime& node : profile.nodes) EXPECT_EQ(node.scaling, std::nullopt);
}

TEST(Assemble, WithoutRunsAllIsZero) {
  RunTimes none;
  none.graph = file_of_three().graph;
  const Profile profile = assemble(file_of_three(), none, nullptr, {});
  EXPECT_EQ(profile.explained, 0);
  EXPECT_EQ(profile.nodes_us, 0);
  ASSERT_EQ(profile.nodes.size(), 3u);
  for (const NodeTime& node : profile.nodes) EXPECT_EQ(node.share, 0);
  EXPECT_TRUE(assemble({}, {}, nullptr, {}).nodes.empty());
}

TEST(Assemble, AnInterruptedRunIsNotInTheMean) {
  RunTimes samples = samples_of_three();
  samples.nodes_us[0] = 1e6F;
  samples.timed_us[0] = 1e6F + 24;
  const Profile profile = assemble(file_of_three(), samples, nullptr, {});
  EXPECT_DOUBLE_EQ(profile.nodes_us, 31);
  EXPECT_DOUBLE_EQ(profile.outside_us, 3);
}

}  // namespace
}  // namespace quantlens
