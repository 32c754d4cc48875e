// Graphs that TensorFlow froze, against what TensorFlow 2.21 itself says of them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/text.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/graph/outline.h"

namespace quantlens::graphdef {
namespace {

struct Truth {
  const char* file;
  std::size_t nodes;      ///< without constants and placeholders
  std::size_t constants;  ///< all of them numbers
  /// Of "NAME TYPE [SHAPE]", a newline and the bytes of each constant, by name.
  const char* contents;
  /// Of "NAME OP TYPE[SHAPE]" and a newline for each node of `kShaped`, by name; empty: TensorFlow
  /// knows more than we do, from an op without a kind.
  const char* shapes;
};

/// What a list of tests calls it.
void PrintTo(const Truth& truth, std::ostream* out) {
  *out << truth.file;
}

constexpr Truth kTruths[] = {
    {"mobilenet_v1_0.25_224.pb", 388, 166,
     "3a4cd9e7c23730782c1c6a0200d0d8cffb243b5c9c56a47bf1440d8d7774559b",
     "7447147011e3dd2b9381d7b4802243497b8f12413e0f0b28f4bcd32bce945a90"},
    {"mobilenet_v1_0.75_224.pb", 102, 71,
     "45f93aaa0c93a42d35ace1f44e3fed72b6b2909215523dd980d218201471fb85",
     "70531d21d97ecea2b4e826dc2f411fb94e46b406a650aa607e54b7ab0400f07b"},
    {"ds_cnn_s.pb", 93, 58, "358440f08a1c10f7396785183012c67f2b4a1d26a2525f15fbe6338e77d78713", ""},
};

const std::set<std::string> kShaped = {"AvgPool",  "BiasAdd", "Conv2D",  "DepthwiseConv2dNative",
                                       "Identity", "Relu6",   "Reshape", "Softmax",
                                       "Squeeze"};

fs::path models_folder() {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  return fs::path(named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/testdata") / "models";
}

std::string digest_of_contents(const Graph& graph) {
  std::string all;
  for (const auto& [name, weight] : graph.weights) {
    all += fmt::format("{} {} [{}]\n", name, quantlens::name(weight.dtype()),
                       fmt::join(weight.shape(), ","));
    const auto bytes = weight.bytes();
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return sha256_hex(all);
}

std::string shapes_text(const Graph& graph) {
  const GraphOutline drawn = outline(graph);
  std::map<std::string, std::string> shapes;
  for (const ValueOutline& value : drawn.values) shapes[value.name] = value.dtype + value.shape;
  for (const ValueOutline& value : drawn.outputs) shapes[value.name] = value.dtype + value.shape;
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    if (kShaped.contains(node.type))
      lines.push_back(fmt::format("{} {} {}\n", node.name, node.type, shapes.at(op_id(node))));
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

class RealGraphs : public testing::TestWithParam<Truth> {
 protected:
  void SetUp() override {
    if (!fs::exists(models_folder() / GetParam().file))
      GTEST_SKIP() << "../shared/testdata has no such model here";
    model_ = frontend::read(models_folder() / GetParam().file);
  }
  Model model_;
};

TEST_P(RealGraphs, HaveAsManyNodesAsTensorFlowFinds) {
  EXPECT_EQ(model_.graph.nodes.size(), GetParam().nodes);
  EXPECT_EQ(model_.graph.weights.size(), GetParam().constants);
  EXPECT_EQ(model_.graph.inputs.size(), 1U);
  EXPECT_EQ(model_.graph.outputs.size(), 1U);
}

TEST_P(RealGraphs, HoldTheNumbersThatTensorFlowReads) {
  EXPECT_EQ(digest_of_contents(model_.graph), GetParam().contents);
}

TEST_P(RealGraphs, HaveTheShapesThatTensorFlowInfers) {
  if (*GetParam().shapes == '\0') GTEST_SKIP() << "they follow from an op without a kind";
  const std::string text = shapes_text(model_.graph);
  EXPECT_EQ(sha256_hex(text), GetParam().shapes) << text;
}

INSTANTIATE_TEST_SUITE_P(All, RealGraphs, testing::ValuesIn(kTruths));

}  // namespace
}  // namespace quantlens::graphdef
