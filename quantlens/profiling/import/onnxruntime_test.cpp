// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/onnxruntime.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/profiling/import/real_profile.h"
#include "quantlens/profiling/testing/imported.h"

namespace quantlens::imports {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// An event as ONNX Runtime writes it; `more` are further args.
std::string event(std::string_view category, std::string_view name, int start, int us,
                  std::string_view args = "") {
  return fmt::format(
      R"({{"cat" : "{}","pid" :1,"tid" :7,"dur" :{},"ts" :{},"ph" : "X","name" :"{}","args" : {{{}}}}})",
      category, us, start, name, args);
}

std::string node(std::string_view name, std::string_view type, int start, int us) {
  return event("Node", name, start, us, fmt::format(R"("op_name" : "{}")", type));
}

std::string file(const std::vector<std::string>& events) {
  return fmt::format("[\n{}\n]\n", fmt::join(events, ",\n"));
}

TEST(ImportOnnxRuntime, ReadsARealProfileNodeByNode) {
  const auto [profile, notes] = imported(std::string(kRealProfile));
  EXPECT_EQ(profile.source, ProfileSource::onnxruntime);
  ASSERT_EQ(profile.nodes.size(), 3U);
  const NodeTime conv = row(profile.nodes, "conv1");
  EXPECT_EQ(conv.type, "Conv");
  EXPECT_EQ(conv.provider, "CPUExecutionProvider");
  EXPECT_THAT(conv.inputs, ElementsAre("float32[1,3,8,8]", "float32[4,3,3,3]"));
  EXPECT_THAT(conv.outputs, ElementsAre("float32[1,4,6,6]"));
  EXPECT_EQ(conv.total_us, 7 + 4 + 4);
  EXPECT_EQ(conv.median_us, 4);
  EXPECT_EQ(conv.runs, 3U);
  EXPECT_EQ(row(profile.nodes, "y_QuantizeLinear").role, NodeRole::quantize);
  EXPECT_EQ(row(profile.nodes, "act").position, 1U);
}

TEST(ImportOnnxRuntime, LeavesOutTheFirstOfFourRuns) {
  const auto [profile, notes] = imported(std::string(kRealProfile));
  EXPECT_EQ(profile.wall.runs, 3U);
  EXPECT_THAT(profile.wall.mean_us, DoubleNear((29 + 24 + 24) / 3.0, 1e-9));
  EXPECT_THAT(profile.outside_us, DoubleNear((4 + 2 + 2) / 3.0, 1e-9));
  EXPECT_TRUE(notes.have("first of 4 runs"));
}

TEST(ImportOnnxRuntime, CountsNoFencesOfOldVersions) {
  const auto [profile, notes] = imported(
      file({node("a_fence_before", "Conv", 0, 5), node("a_kernel_time", "Conv", 5, 100),
            node("a_fence_after", "Conv", 105, 5), event("Session", "model_run", 0, 120)}));
  ASSERT_EQ(profile.nodes.size(), 1U);
  EXPECT_EQ(profile.nodes[0].name, "a");
  EXPECT_EQ(profile.nodes[0].total_us, 100);
  EXPECT_EQ(profile.nodes[0].runs, 1U);
  EXPECT_EQ(profile.types[0].defined, 1U);
}

TEST(ImportOnnxRuntime, GivesTheKernelsTimeToTheNodeBeforeIt) {
  for (const std::string_view category : {"Kernel", "kernel"}) {
    const auto [profile, notes] =
        imported(file({node("a_kernel_time", "Add", 10, 30),
                       event(category, "ew_kernel", 30, 50, R"("op_name" : "Add","stream" : "13")"),
                       event("Session", "model_run", 0, 120)}));
    ASSERT_EQ(profile.nodes.size(), 1U);
    EXPECT_EQ(profile.nodes[0].accelerator_us, 50);
    EXPECT_EQ(profile.nodes[0].cpu_us, 20) << "10 of its 30 us overlap with the kernel";
    EXPECT_EQ(profile.nodes[0].total_us, 70);
    EXPECT_EQ(profile.nodes[0].runs, 1U);
  }
}

TEST(ImportOnnxRuntime, KeepsAKernelThatBelongsToNoNode) {
  const auto [profile, notes] =
      imported(file({event("Kernel", "copy", 3, 50, R"("op_name" : "")"),
                     node("a_kernel_time", "Add", 10, 30), event("Session", "model_run", 0, 99)}));
  EXPECT_EQ(row(profile.nodes, "copy").accelerator_us, 50);
  EXPECT_EQ(row(profile.nodes, "a").accelerator_us, 0);
}

TEST(ImportOnnxRuntime, CountsAnIfWithoutItsBodyInEitherOrderOfEvents) {
  const std::string inner = node("inner_kernel_time", "Mul", 11, 80);
  const std::string outer = node("if_kernel_time", "If", 10, 100);
  const std::string run = event("Session", "model_run", 0, 150);
  for (const auto& text : {file({inner, outer, run}), file({run, outer, inner})}) {
    const auto [profile, notes] = imported(text);
    EXPECT_EQ(row(profile.nodes, "inner").total_us, 80);
    EXPECT_EQ(row(profile.nodes, "if").total_us, 20);
    EXPECT_EQ(profile.nodes_us, 100);
    EXPECT_EQ(row(profile.nodes, "if").position, 0U);
  }
}

TEST(ImportOnnxRuntime, FindsTheWarmUpWhereRunsStandBeforeTheirNodes) {
  std::vector<std::string> events;
  for (const int run : {0, 1, 2}) {
    events.push_back(event("Session", "model_run", run * 1000, 500 - run * 100));
    events.push_back(event("Session", "SequentialExecutor::Execute", run * 1000 + 1, 250));
    events.push_back(node("a_kernel_time", "Conv", run * 1000 + 2, 200 - run));
  }
  const auto [profile, notes] = imported(file(events));
  EXPECT_EQ(profile.wall.runs, 2U);
  EXPECT_EQ(profile.wall.mean_us, 350);
  EXPECT_EQ(profile.outside_us, 100);
  EXPECT_EQ(row(profile.nodes, "a").total_us, 199 + 198);
}

TEST(ImportOnnxRuntime, KeepsNodesOfOneNameApartByTheirNumber) {
  const auto numbered = [](int number, int start, int us) {
    return event("Node", "same_kernel_time", start, us,
                 fmt::format(R"("node_index" : "{}","op_name" : "Conv")", number));
  };
  const auto [profile, notes] = imported(file({numbered(1, 0, 10), numbered(2, 10, 30)}));
  ASSERT_EQ(profile.nodes.size(), 2U);
  EXPECT_EQ(profile.types[0].defined, 2U);
  EXPECT_EQ(profile.types[0].total_us, 40);
}

TEST(ImportOnnxRuntime, NamesNamelessNodesByTheirType) {
  const auto [profile, notes] =
      imported(file({node("_kernel_time", "Conv", 0, 10), node("_kernel_time", "Relu", 10, 3)}));
  EXPECT_EQ(row(profile.nodes, "Conv").total_us, 10);
  EXPECT_EQ(row(profile.nodes, "Relu").total_us, 3);
  EXPECT_TRUE(notes.have("without a name"));
}

TEST(ImportOnnxRuntime, ReadsAFileThatWasCutOffAndSaysSo) {
  const std::string whole(kRealProfile);
  const std::size_t last = whole.find("\"ts\" :4047");
  const auto [profile, notes] = imported(whole.substr(0, last));
  EXPECT_EQ(profile.wall.runs, 2U) << "the unfinished fourth is left out, the first is warm-up";
  EXPECT_EQ(row(profile.nodes, "conv1").total_us, 7 + 4);
  EXPECT_TRUE(notes.have("cut off"));
  EXPECT_TRUE(notes.have("within a run"));
}

TEST(ImportOnnxRuntime, AnyCutOffFileIsReadOrGivesNothing) {
  const std::string whole(kRealProfile);
  for (std::size_t length = 200; length < whole.size(); length += 7) {
    const auto [profile, notes] = imported(whole.substr(0, length));
    EXPECT_LE(profile.nodes.size(), 3U);
    EXPECT_TRUE(notes.have("cut off")) << length;
  }
}

TEST(ImportOnnxRuntime, LeavesOutALineThatIsNoSoundJson) {
  const auto [profile, notes] = imported(
      file({node("a_kernel_time", "Conv", 0, 10), node("it's \"b\"_kernel_time", "Conv", 10, 5),
            node("c_kernel_time", "Conv", 20, 7)}));
  EXPECT_EQ(profile.nodes.size(), 2U);
  EXPECT_EQ(profile.types[0].total_us, 17);
  EXPECT_TRUE(notes.have("1 events are no sound JSON"));
}

TEST(ImportOnnxRuntime, LeavesOutDurationsThatCannotBe) {
  const auto with = [](std::string_view us) {
    return fmt::format(R"({{"cat":"Node","name":"a_kernel_time","dur":{},"ts":1}})", us);
  };
  const auto [profile, notes] = imported(
      file({node("a_kernel_time", "Conv", 0, 10), with("-5"), with("1e300"), with("\"x\""),
            with("null"), with("nan"), R"({"cat":"Node","name":"a_kernel_time","ts":1})"}));
  EXPECT_EQ(row(profile.nodes, "a").total_us, 10);
  EXPECT_TRUE(notes.have("6 events have no possible duration"));
}

TEST(ImportOnnxRuntime, SkipsWhatIsNestedTenThousandTimes) {
  const std::string deep = std::string(10000, '[') + std::string(10000, ']');
  const auto [profile, notes] = imported(file({event(
      "Node", "a_kernel_time", 0, 10, fmt::format(R"("x" : {},"op_name" : "Conv")", deep))}));
  EXPECT_EQ(profile.nodes.at(0).type, "Conv");
}

TEST(ImportOnnxRuntime, LeavesOutAnEventOfMoreThanAMegabyteAndReadsOn) {
  const std::string huge(3 << 20, 'x');
  const auto [profile, notes] = imported(
      file({node("a_kernel_time", "Conv", 0, 10),
            event("Node", "b_kernel_time", 10, 10, fmt::format(R"("op_name" : "{}")", huge)),
            node("c_kernel_time", "Conv", 20, 10)}));
  EXPECT_EQ(profile.nodes.size(), 2U);
  EXPECT_TRUE(notes.have("1 events are no sound JSON"));
}

TEST(ImportOnnxRuntime, GathersNodesPastTheLimitByType) {
  std::vector<std::string> events;
  for (int i = 0; i < 70000; ++i) {
    events.push_back(node(fmt::format("n{}_kernel_time", i), i % 2 == 0 ? "Add" : "Mul", i, 1));
  }
  const auto [profile, notes] = imported(file(events));
  EXPECT_LE(profile.nodes.size(), 65538U);
  double total = 0;
  for (const NodeTime& type : profile.types) total += type.total_us;
  EXPECT_EQ(total, 70000);
  EXPECT_GT(row(profile.nodes, "other nodes: Add").runs, 0U);
  EXPECT_TRUE(notes.have("more nodes than are listed"));
}

}  // namespace
}  // namespace quantlens::imports
