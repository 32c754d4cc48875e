// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"
#include "quantlens/graph/testing/growth.h"

namespace quantlens::graphdef {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// With a function, a branch and a loop.
std::string rich_graph() {
  GraphBytes graph = small_network();
  graph
      .define({.name = "f",
               .inputs = {"x"},
               .outputs = {"r"},
               .nodes = {node_bytes("neg", "Neg", {"x"}, kOfFloats)},
               .returned = {{"r", "neg:y:0"}}})
      .node("call", "PartitionedCall", {"pool"}, {{"f", function("f")}})
      .node("branch", "If", {"call", "call"},
            {{"then_branch", function("f")}, {"Tout", types({kFloat})}})
      .node("merge", "Merge", {"branch", "next"}, {{"T", type(kFloat)}, {"N", number(2)}})
      .node("next", "NextIteration", {"merge"}, kOfFloats);
  return graph.bytes();
}

/// Reads the bytes: an Error or a model, nothing else.
void read_or_refuse(const std::string& bytes) {
  try {
    model_of(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
  }
}

TEST(HostileGraphDef, CutAnywhereIsRefusedOrSound) {
  const std::string bytes = rich_graph();
  for (std::size_t size = 0; size < bytes.size(); ++size) read_or_refuse(bytes.substr(0, size));
}

TEST(HostileGraphDef, WithAnyBitFlippedIsRefusedOrSound) {
  std::string bytes = rich_graph();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(static_cast<unsigned char>(before) ^ (1U << bit));
      read_or_refuse(bytes);
      bytes[i] = before;
    }
  }
}

TEST(HostileGraphDef, IsRefusedInOneSentenceThatNamesTheFileAndTheNextStep) {
  const std::string sentence = refusal(small_network().bytes().substr(0, 40));
  EXPECT_THAT(sentence, StartsWith("small.pb: not a sound TensorFlow graph: "));
  EXPECT_THAT(sentence, HasSubstr("; freeze it again or re-download it"));
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
}

TEST(HostileGraphDef, WithoutNodesIsRefused) {
  EXPECT_THAT(refusal(GraphBytes().producer(21).bytes()), HasSubstr("has no nodes"));
}

TEST(HostileGraphDef, WithOneNameTwiceIsRefused) {
  GraphBytes graph;
  graph.input("x", {1}).input("x", {1});
  EXPECT_THAT(refusal(graph.bytes()), HasSubstr("two nodes are named 'x'"));
}

TEST(HostileGraphDef, WithNamesThatAreReferencesIsRefused) {
  for (const char* name : {"", "^x", "x:1"}) {
    EXPECT_NE(refusal(GraphBytes().node(name, "NoOp").bytes()), "") << name;
  }
}

TEST(HostileGraphDef, ThatReadsWhatIsNotThereIsRefused) {
  const auto reading = [](const std::string& value) {
    GraphBytes graph;
    graph.input("x", {1}).node("y", "Relu", {value}, kOfFloats);
    return refusal(graph.bytes());
  };
  EXPECT_THAT(reading("z"), HasSubstr("'y' reads 'z', which is not there"));
  EXPECT_THAT(reading("^z"), HasSubstr("'y' reads 'z', which is not there"));
  EXPECT_THAT(reading("x:1"), HasSubstr("'y' reads 'x', of which there is no such result"));
  EXPECT_THAT(reading("x:"), HasSubstr("'x:' names no value"));
  EXPECT_THAT(reading("x:99999999999999999999"), HasSubstr("names no value"));
  EXPECT_NE(reading(""), "");
}

TEST(HostileGraphDef, WithACycleIsRefused) {
  GraphBytes graph;
  graph.node("a", "Relu", {"b"}, kOfFloats).node("b", "Relu", {"a"}, kOfFloats);
  EXPECT_THAT(refusal(graph.bytes()), HasSubstr("form a cycle"));
  GraphBytes itself;
  itself.node("a", "Relu", {"a"}, kOfFloats);
  EXPECT_THAT(refusal(itself.bytes()), HasSubstr("form a cycle, which holds up 'a'"));
  GraphBytes waiting;
  waiting.node("a", "MyOp", {"^b"}).node("b", "MyOp", {"a"});
  EXPECT_THAT(refusal(waiting.bytes()), HasSubstr("form a cycle"));
}

TEST(HostileGraphDef, WithConstantsFarLargerThanTheFileIsRefused) {
  const auto with = [](const std::vector<std::int64_t>& shape) {
    GraphBytes graph;
    graph.constant("c", with_bytes(kFloat, shape, TensorProto::float_val, std::string(4, '\1')));
    return refusal(graph.bytes());
  };
  EXPECT_THAT(with({1 << 20, 1 << 10}), HasSubstr("more memory than is sensible"));
  EXPECT_THAT(with({1LL << 40, 1LL << 40}), HasSubstr("impossible shape"));
  EXPECT_THAT(with({1LL << 60}), HasSubstr("impossible shape"));
  EXPECT_THAT(with({-1}), HasSubstr("negative extent"));
}

TEST(HostileGraphDef, WithContentsOfAnotherSizeIsRefused) {
  GraphBytes graph;
  graph.constant("c", with_bytes(kFloat, {3}, TensorProto::tensor_content, std::string(8, '\0')));
  EXPECT_THAT(refusal(graph.bytes()),
              HasSubstr("the tensor of 'c' needs 12 bytes, and there are 8"));
}

TEST(HostileGraphDef, WithTooManyResultsIsRefused) {
  for (const std::int64_t count : {1LL << 20, 1LL << 62}) {
    GraphBytes graph;
    graph.input("x", {1}).node("u", "Unpack", {"x"}, {{"T", type(kFloat)}, {"num", number(count)}});
    EXPECT_THAT(refusal(graph.bytes()), HasSubstr("results"));
  }
  GraphBytes reader;
  reader.input("x", {1}).node("own", "MyOp").node("y", "Relu", {"own:70000"}, kOfFloats);
  EXPECT_THAT(refusal(reader.bytes()), HasSubstr("no op has so many results"));
}

TEST(HostileGraphDef, OfManyNodesIsReadInLinearTime) {
  const auto chain = [](std::size_t count) {
    GraphBytes graph;
    graph.input("n0", {1});
    for (std::size_t i = 1; i < count; ++i) {
      const std::string before = "n" + std::to_string(i - 1);
      graph.node("n" + std::to_string(i), "Add", {before, before, "^n0"}, kOfFloats);
    }
    return graph.bytes();
  };
  EXPECT_LT(growth_exponent(400, chain, [](const std::string& bytes) { model_of(bytes); }),
            kMostGrowth);
}

TEST(HostileGraphDef, OfManyCallsIsReadInLinearTime) {
  const auto calls = [](std::size_t count) {
    GraphBytes graph;
    graph.define({.name = "f",
                  .inputs = {"x"},
                  .outputs = {"r"},
                  .nodes = {node_bytes("neg", "Neg", {"x"}, kOfFloats)},
                  .returned = {{"r", "neg:y:0"}}});
    graph.input("n0", {1});
    for (std::size_t i = 1; i < count; ++i)
      graph.node("n" + std::to_string(i), "f", {"n" + std::to_string(i - 1)});
    return graph.bytes();
  };
  EXPECT_LT(growth_exponent(200, calls, [](const std::string& bytes) { model_of(bytes); }),
            kMostGrowth);
}

TEST(HostileGraphDef, WhoseManyReadersReadManyResultsIsReadInLinearTime) {
  const auto fan = [](std::size_t count) {
    GraphBytes graph;
    graph.node("own", "MyOp");
    for (std::size_t i = 0; i < count; ++i)
      graph.node("n" + std::to_string(i), "Neg", {"own:" + std::to_string(i % 65'000)}, kOfFloats);
    return graph.bytes();
  };
  EXPECT_LT(growth_exponent(400, fan, [](const std::string& bytes) { model_of(bytes); }),
            kMostGrowth);
}

}  // namespace
}  // namespace quantlens::graphdef
