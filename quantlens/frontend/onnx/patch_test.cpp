// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::onnx {
namespace {

Node node_of(Kind kind, std::vector<std::string> inputs, const std::string& output,
             Roles roles = {}) {
  Node node;
  node.kind = kind;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  node.roles = std::move(roles);
  return node;
}

Model patched(const Patch& patch, std::int64_t opset = 13) {
  MemoryStore store;
  write_patched(model_of(small_graph(), {{"", opset}, {"com.microsoft", 1}}), patch, store, "p");
  return read("p", store.read("p"));
}

/// "r1" of the small graph by way of codes of a type, along an axis.
Patch by_codes(const Tensor& zero_points) {
  Patch patch;
  patch.weights = {{"s", Tensor::from<float>({2}, {1, 2})}, {"zero", zero_points}};
  const roles::Coding coding{.axis = 3};
  patch.nodes["r1"] = {node_of(Kind::quantize, {"n1", "s", "zero"}, "q", coding),
                       node_of(Kind::dequantize, {"q", "s", "zero"}, "d", coding),
                       node_of(Kind::max, {"d"}, "r1")};
  return patch;
}

const Node& maker_of(const Model& model, const std::string& value) {
  return *std::ranges::find_if(model.graph.nodes,
                               [&](const Node& node) { return op_id(node) == value; });
}

TEST(Patch, ANodeOfAKindIsWrittenInOnnxsWords) {
  const Model model = patched(by_codes(Tensor::from<std::uint8_t>({2}, {1, 2})));
  EXPECT_EQ(maker_of(model, "q").type, "QuantizeLinear");
  EXPECT_EQ(maker_of(model, "d").type, "DequantizeLinear");
  EXPECT_EQ(maker_of(model, "r1").type, "Max");
  EXPECT_EQ(axis_of(maker_of(model, "q")), 3);
}

TEST(Patch, CodesOfSixteenBitsAreTheRuntimesWhereOnnxHasNone) {
  const Patch wide = by_codes(Tensor::from<std::uint16_t>({2}, {1, 2}));
  EXPECT_EQ(maker_of(patched(wide, 13), "q").domain, "com.microsoft");
  EXPECT_EQ(maker_of(patched(wide, 13), "d").domain, "com.microsoft");
  EXPECT_EQ(maker_of(patched(wide, 21), "q").domain, "");
  EXPECT_EQ(maker_of(patched(by_codes(Tensor::from<std::uint8_t>({2}, {1, 2}))), "q").domain, "");
}

TEST(Patch, AKindWithoutWordsIsRefused) {
  Patch patch;
  patch.nodes["r1"] = {node_of(Kind::gelu, {"n1"}, "r1")};
  EXPECT_EQ(sentence_of(Errc::unsupported, [&] { patched(patch); }),
            "no node of kind gelu can be inserted");
}

}  // namespace
}  // namespace quantlens::onnx
