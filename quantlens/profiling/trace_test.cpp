// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/profiling/testing/imported.h"

namespace quantlens {
namespace {

using Texts = std::vector<std::string>;

using imports::imported;

NodeTime node(std::string name, std::string type, std::uint64_t position, double mean_us) {
  NodeTime node{.name = std::move(name), .type = std::move(type), .position = position};
  node.mean_us = mean_us;
  node.total_us = 10 * mean_us;
  return node;
}

Profile small_profile() {
  Profile profile{.model = "/models/net.onnx", .source = ProfileSource::quantlens};
  profile.wall = {.runs = 10, .mean_us = 40, .median_us = 39};
  profile.nodes = {node("conv \"1\"", "Conv", 1, 20.5), node("q", "QuantizeLinear", 0, 3.25)};
  profile.nodes[0].inputs = {"float32[1,3]", "float32[3]"};
  profile.nodes[0].provider = "CPUExecutionProvider";
  profile.nodes[0].ops = {{"y", "conv \"1\""}, {"z", "relu"}};
  profile.nodes[1].role = NodeRole::quantize;
  return profile;
}

TEST(Trace, LaysNodesEndToEndInOrderOfExecution) {
  const json::Value trace = json::parse(trace_json(small_profile()), "trace.json");
  EXPECT_EQ(trace.at("displayTimeUnit"), "ns");
  const auto& events = trace.at("traceEvents").as_array();
  ASSERT_EQ(events.size(), 6U) << "three names, one run, two nodes";
  EXPECT_EQ(events[0].at("args").at("name"), "net.onnx");
  EXPECT_EQ(events[4].at("name"), "q");
  EXPECT_EQ(events[4].at("cat"), "quantize");
  EXPECT_EQ(events[5].at("name"), "conv \"1\"");
  EXPECT_EQ(events[5].at("ts").as_double(), 3.25);
  EXPECT_EQ(events[5].at("dur").as_double(), 20.5);
  EXPECT_EQ(events[5].at("args").at("type"), "Conv");
  EXPECT_EQ(events[5].at("args").at("ops"), json::encode(Texts({"conv \"1\"", "relu"})));
}

TEST(Trace, IsImportedAsItWas) {
  const Profile before = small_profile();
  const auto [profile, notes] = imported(trace_json(before));
  EXPECT_EQ(profile.source, ProfileSource::quantlens);
  EXPECT_EQ(profile.model, "net.onnx");
  EXPECT_EQ(profile.wall.mean_us, 40);
  ASSERT_EQ(profile.nodes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(profile.nodes[i].name, before.nodes[i].name);
    EXPECT_EQ(profile.nodes[i].type, before.nodes[i].type);
    EXPECT_EQ(profile.nodes[i].role, before.nodes[i].role);
    EXPECT_EQ(profile.nodes[i].provider, before.nodes[i].provider);
    EXPECT_EQ(profile.nodes[i].inputs, before.nodes[i].inputs);
    EXPECT_EQ(profile.nodes[i].position, before.nodes[i].position);
    EXPECT_EQ(profile.nodes[i].mean_us, before.nodes[i].mean_us);
  }
  EXPECT_TRUE(notes.sentences.empty());
}

TEST(Trace, OfTwoModelsHasAProcessEach) {
  const ProfileRecord pair{.reference = small_profile(), .quantized = small_profile()};
  const std::string trace = trace_json(pair);
  EXPECT_THAT(trace, testing::HasSubstr("net.onnx (reference)"));
  EXPECT_THAT(trace, testing::HasSubstr("net.onnx (quantized)"));
  const auto [profile, notes] = imported(trace);
  EXPECT_EQ(profile.model, "net.onnx (reference)");
  EXPECT_EQ(profile.nodes.size(), 2U);
  EXPECT_TRUE(notes.have("two models"));
}

TEST(Trace, OfAProfileOfOneModelIsThatModels) {
  ProfileRecord alone;
  alone.reference = small_profile();
  EXPECT_EQ(trace_json(alone), trace_json(small_profile()));
}

}  // namespace
}  // namespace quantlens
