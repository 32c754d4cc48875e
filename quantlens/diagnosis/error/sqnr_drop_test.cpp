// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/sqnr_drop.h"

#include <limits>

#include <gtest/gtest.h>

#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

ActivationRow row(const std::string& value, double sqnr_db) {
  ActivationRow row;
  row.value = value;
  row.sqnr_db = sqnr_db;
  return row;
}

TEST(SqnrDrops, AreLargeWhereErrorBeginsAndSmallBehindIt) {
  SmallGraph net;
  net.input("x").weight("w", {1}, {1});
  net.node(Kind::matmul, {"x", "w"}, "a")
      .node(Kind::log, {"a"}, "b")
      .node(Kind::tanh, {"b"}, "hidden");
  net.node(Kind::add, {"hidden", "a"}, "c").output("c");
  std::vector<ActivationRow> rows{row("b", -12), row("c", -13), row("a", 26),
                                  row("x", std::numeric_limits<double>::infinity())};
  add_sqnr_drops(net.graph(), rows);
  EXPECT_EQ(rows[0].sqnr_drop_db, 38);
  EXPECT_EQ(rows[1].sqnr_drop_db, 1) << "through `hidden`, which has no row, to b";
  EXPECT_EQ(rows[2].sqnr_drop_db, 34) << "an exact input counts as one of 60 dB";
  EXPECT_EQ(rows[3].sqnr_drop_db, std::nullopt) << "nothing comes before an input";
}

TEST(SqnrDrops, AreAbsentWhereNothingIsFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "y").node(Kind::relu, {"y"}, "z").output("z");
  std::vector<ActivationRow> rows{row("x", 30), row("y", -kInfinity), row("z", -kInfinity)};
  add_sqnr_drops(net.graph(), rows);
  EXPECT_EQ(rows[1].sqnr_drop_db, std::nullopt);
  EXPECT_EQ(rows[2].sqnr_drop_db, std::nullopt) << "no NaN either";
}

TEST(SqnrDrops, OfAValueWithSeveralSidesStartFromTheWorst) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "y").output("y");
  std::vector<ActivationRow> rows{row("x", 30), row("x", 20), row("y", 15)};
  add_sqnr_drops(net.graph(), rows);
  EXPECT_EQ(rows[2].sqnr_drop_db, 5);
}

}  // namespace
}  // namespace quantlens
