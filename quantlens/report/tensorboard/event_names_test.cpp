// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_names.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

OpOutline named(std::string id, std::string name, std::string scope = {}) {
  OpOutline op;
  op.op = std::move(id);
  op.name = std::move(name);
  op.scope = std::move(scope);
  return op;
}

TEST(EventPath, HasPartsThatAreNotEmptyAndNothingThatMeansSomethingElse) {
  EXPECT_EQ(event_path("/conv1//Conv/"), "conv1/Conv");
  EXPECT_EQ(event_path("Conv:out 1^2"), "Conv_out_1_2");
  EXPECT_EQ(event_path("a\nb\"c'd\\e"), "a_b_c_d_e");
  EXPECT_EQ(event_path("Sch\xC3\xB6n.0-1_x"), "Sch\xC3\xB6n.0-1_x");
  EXPECT_EQ(event_path(""), "_");
  EXPECT_EQ(event_path("///"), "_");
  EXPECT_EQ(event_path("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(event_path("a\xC2\x85z\xE2\x80\xA8y\xE2\x80\xA9x"), "a_z_y_x") << "U+0085, U+2028";
}

TEST(EventNames, AreOneForEachWhateverTheyAreCalled) {
  GraphOutline graph;
  graph.inputs = {{.name = "x", .dtype = "float32", .shape = "[1]"}};
  graph.weights = {{.name = "Conv:a", .dtype = "float32", .shape = "[1]"}};
  graph.ops = {named("a", "Conv:a"), named("b", "Conv:a"), named("c", "x"), named("d", "/Conv_a")};
  const EventNames names(graph);
  EXPECT_EQ(names.input("x"), "x");
  EXPECT_EQ(names.op({"a", "Conv:a"}), "Conv_a");
  EXPECT_EQ(names.op({"b", "Conv:a"}), "Conv_a_2");
  EXPECT_EQ(names.op({"c", "x"}), "x_2");
  EXPECT_EQ(names.op({"d", "/Conv_a"}), "Conv_a_3");
  EXPECT_EQ(names.weight("Conv:a"), "Conv_a_4");
  EXPECT_EQ(names.op({"x", "x"}), "x") << "an input stands for itself";
  EXPECT_EQ(names.op({"", "Conv:a"}), "Conv_a") << "earlier records know names alone";
  EXPECT_EQ(names.op({"gone", "other/op"}), "other/op");
}

TEST(EventNames, PutOpsOfABodyBelowTheOpThatHoldsIt) {
  GraphOutline graph;
  graph.ops = {named("y", "If/y"), named("y/z", "Add", "y")};
  const EventNames names(graph);
  EXPECT_EQ(names.op({"y/z", "Add"}), "If/y/Add");
}

}  // namespace
}  // namespace quantlens
