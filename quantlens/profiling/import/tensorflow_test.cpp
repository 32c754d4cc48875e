// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/tensorflow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/profiling/testing/imported.h"

namespace quantlens::imports {
namespace {

constexpr std::string_view kTask = "/job:localhost/replica:0/task:0";

std::string process(int pid, std::string_view name) {
  return fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"{}{}"}}}})", pid,
                     name.starts_with('/') ? kTask : "", name);
}

std::string op(int pid, std::string_view name, std::string_view type, int start, int us) {
  return fmt::format(R"({{"ph":"X","cat":"Op","name":"{1}","pid":{2},"tid":0,"ts":{3},"dur":{4},)"
                     R"("args":{{"name":"{0}","op":"{1}","input0":"x"}}}})",
                     name, type, pid, start, us);
}

std::string timeline(const std::vector<std::string>& events) {
  return fmt::format("{{\"traceEvents\":[{}]}}", fmt::join(events, ","));
}

TEST(ImportTimeline, CountsOpsOfComputeProcessesByNode) {
  const auto [profile, notes] = imported(
      timeline({process(0, "Allocators"), process(1, "/device:CPU:0 Compute"),
                process(2, "/device:CPU:0 Tensors"), op(1, "scope/a", "Conv2D", 1000, 50),
                op(1, "scope/b", "Conv2D", 1050, 30), op(2, "scope/a", "Conv2D", 1000, 7),
                R"({"ph":"O","cat":"Tensor","name":"t","pid":2,"args":{"snapshot":{"d":"x"}}})"}));
  EXPECT_EQ(profile.source, ProfileSource::tensorflow);
  ASSERT_EQ(profile.nodes.size(), 2U);
  EXPECT_EQ(profile.nodes[0].name, "scope/a");
  EXPECT_EQ(profile.nodes[0].type, "Conv2D");
  EXPECT_EQ(profile.nodes[0].provider, "CPU:0");
  EXPECT_EQ(profile.nodes[0].cpu_us, 50);
  EXPECT_EQ(profile.wall.mean_us, 80);
  ASSERT_EQ(profile.types.size(), 1U);
  EXPECT_EQ(profile.types[0].total_us, 80);
  EXPECT_EQ(profile.types[0].defined, 2U);
}

TEST(ImportTimeline, CountsAKernelOnceThoughTwoStreamsShowIt) {
  const auto [profile, notes] = imported(
      timeline({process(1, "/device:GPU:0 Compute"), process(3, "/device:GPU:0/stream:all Compute"),
                process(5, "/device:GPU:0/stream:13 Compute"), op(1, "a", "Conv2D", 0, 5),
                op(3, "a", "Conv2D", 6, 100), op(5, "a", "Conv2D", 6, 100)}));
  const NodeTime a = row(profile.nodes, "a");
  EXPECT_EQ(a.accelerator_us, 100);
  EXPECT_EQ(a.cpu_us, 5) << "its launch";
  EXPECT_EQ(a.runs, 1U);
  EXPECT_EQ(a.median_us, 105);
}

TEST(ImportTimeline, TakesADevicesTimeForItsOwnWhereThereAreNoStreams) {
  const auto [profile, notes] =
      imported(timeline({process(1, "/device:TPU:0 Compute"), op(1, "a", "MatMul", 0, 5)}));
  EXPECT_EQ(row(profile.nodes, "a").accelerator_us, 5);
  EXPECT_EQ(row(profile.nodes, "a").cpu_us, 0);
}

TEST(ImportTimeline, OneBrokenEventOnTheOnlyLineEndsTheFile) {
  const auto [profile, notes] =
      imported(timeline({op(1, "a", "MatMul", 0, 5), "oops", op(1, "b", "MatMul", 0, 5)}));
  EXPECT_EQ(profile.nodes.size(), 1U);
  EXPECT_TRUE(notes.have("no sound JSON"));
}

/// A node's message, in microseconds or, where `fine`, in nanoseconds too.
std::string stats(std::string_view name, std::string_view label, std::int64_t start,
                  std::int64_t us, bool fine = false) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_string(1, name.data(), name.size());
  out.add_int64(2, start);
  out.add_int64(5, us);
  out.add_string(8, label.data(), label.size());
  out.add_string(7, "\x08\x01", 2);  // an output, which is skipped
  if (fine) out.add_int64(13, start * 1000);
  if (fine) out.add_int64(16, us * 1000 + 250);
  return bytes;
}

std::string step_stats(std::string_view device, const std::vector<std::string>& nodes) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_string(1, device.data(), device.size());
  for (const std::string& node : nodes) out.add_message(2, node);
  std::string whole;
  protozero::pbf_writer(whole).add_message(1, bytes);
  return whole;
}

std::string run_metadata(const std::string& stats) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_message(1, stats);
  out.add_message(3, std::string(5000, 'g'));  // a partition's graph
  return bytes;
}

const std::string kCpu = std::string(kTask) + "/device:CPU:0";

TEST(ImportStepStats, ReadsBothMessages) {
  const std::string step =
      step_stats(kCpu, {stats("a", "[CPU 1.0MB 1.0MB] a = Conv2D(x, w)", 100, 40),
                        stats("b", "b = Relu(a)", 140, 3, true)});
  for (const std::string& bytes : {step, run_metadata(step)}) {
    ASSERT_TRUE(is_step_stats(bytes.substr(0, 64)));
    const auto [profile, notes] = imported(bytes);
    ASSERT_EQ(profile.nodes.size(), 2U);
    EXPECT_EQ(row(profile.nodes, "a").type, "Conv2D");
    EXPECT_EQ(row(profile.nodes, "a").total_us, 40);
    EXPECT_EQ(row(profile.nodes, "a").provider, "CPU:0");
    EXPECT_EQ(row(profile.nodes, "b").total_us, 3.25) << "nanoseconds where they are known";
    EXPECT_EQ(profile.wall.mean_us, 43.25);
    EXPECT_TRUE(notes.sentences.empty());
  }
}

TEST(ImportStepStats, FindsAKernelsNodeInItsLabel) {
  const std::string device = std::string(kTask) + "/device:GPU:0";
  const auto [profile, notes] =
      imported(step_stats(device, {stats("a", "a = Conv2D(x)", 0, 4)}) +
               step_stats(device + "/stream:all", {stats("k", "gemm @@a:Conv2D#id=1#", 5, 60)}));
  EXPECT_EQ(row(profile.nodes, "a").accelerator_us, 60);
  EXPECT_EQ(row(profile.nodes, "a").cpu_us, 4);
}

TEST(ImportStepStats, KeepsWhatStandsBeforeALengthThatLies) {
  std::string step = step_stats(kCpu, {stats("a", "a = Relu(x)", 0, 4)});
  step += "\x0A\xFF\xFF\xFF\xFF\x7F/";  // a device of 34 GB
  const auto [profile, notes] = imported(step);
  EXPECT_EQ(row(profile.nodes, "a").total_us, 4);
  EXPECT_TRUE(notes.have("cut off"));
}

TEST(ImportStepStats, AnyCutOffMessageIsReadOrGivesNothing) {
  const std::string step =
      step_stats(kCpu, {stats("a", "a = Relu(x)", 0, 4), stats("b", "b = Relu(a)", 4, 4)});
  const std::string whole = run_metadata(step);
  const std::size_t complete = 2 + step.size();  // its first field alone is sound
  for (std::size_t length = 60; length < whole.size(); ++length) {
    const auto [profile, notes] = imported(whole.substr(0, length));
    EXPECT_EQ(notes.have("cut off"), length != complete) << length;
  }
}

TEST(ImportStepStats, IsNoOtherProtobuf) {
  EXPECT_FALSE(is_step_stats("\x08\x07\x12\x04onnx"));            // a model of ONNX
  EXPECT_FALSE(is_step_stats("\x0A\x0A\x0A\x05input\x12\x01p"));  // a frozen graph
  EXPECT_FALSE(is_step_stats(""));
}

}  // namespace
}  // namespace quantlens::imports
