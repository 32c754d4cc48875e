// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/model.h"

#include <set>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

Node node(std::string name, std::string type, std::vector<std::string> outputs) {
  Node out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.outputs = std::move(outputs);
  return out;
}

TEST(Op, IsKnownByItsFirstOutputThatHasAName) {
  EXPECT_EQ(op_id(node("a", "Dropout", {"", "mask"})), "mask");
  EXPECT_EQ(op_id(node("a", "Sink", {})), "");
}

TEST(Op, IsShownByItsNameOrElseByTypeAndOutput) {
  EXPECT_EQ(op_name(node("/block/conv", "Conv", {"y"})), "/block/conv");
  EXPECT_EQ(op_name(node("", "Conv", {"y"})), "Conv:y");
}

TEST(Attributes, FallBackWhereAbsentOrOfAnotherType) {
  Node n = node("", "Conv", {"y"});
  n.attributes["group"] = std::int64_t{3};
  n.attributes["alpha"] = 0.5F;
  n.attributes["auto_pad"] = std::string("VALID");
  n.attributes["pads"] = std::vector<std::int64_t>{1, 2};
  EXPECT_EQ(attribute_int(n, "group", 1), 3);
  EXPECT_EQ(attribute_int(n, "alpha", 1), 1);
  EXPECT_EQ(attribute_float(n, "alpha", 1), 0.5F);
  EXPECT_EQ(attribute_string(n, "auto_pad", "NOTSET"), "VALID");
  EXPECT_EQ(attribute_string(n, "none", "NOTSET"), "NOTSET");
  EXPECT_EQ(attribute_ints(n, "pads"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(attribute_ints(n, "group").empty());
}

TEST(Kind, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(Kind::control_flow); ++k) {
    EXPECT_TRUE(names.insert(to_string(static_cast<Kind>(k))).second);
  }
  EXPECT_EQ(to_string(Kind::other), "other");
  EXPECT_EQ(to_string(Kind::qglobal_average_pool), "qglobal_average_pool");
  EXPECT_EQ(to_string(Kind::control_flow), "control_flow");
}

}  // namespace
}  // namespace quantlens
