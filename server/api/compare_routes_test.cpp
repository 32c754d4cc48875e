// SPDX-License-Identifier: Apache-2.0
#include "server/api/compare_routes.h"

#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

TEST(CompareRoute, TellsWhatIsDifferentInAnotherRun) {
  ApiWorld world;
  const std::string one = world.add_run(3), other = world.add_run(5);
  const Response answer = world.get(v1(one, "/compare"), {{"other", other}});
  ASSERT_EQ(answer.status, 200U) << text_of(answer);
  const json::Value made = json::parse(text_of(answer), "answer");
  EXPECT_EQ(made.at("a").at("id"), json::Value(one));
  EXPECT_EQ(made.at("b").at("id"), json::Value(other));
  EXPECT_FALSE(made.at("verdict").as_string().empty());
  EXPECT_TRUE(made.at("findings").at(0).as_object().contains("because"));
}

TEST(CompareRoute, RefusesWhatCannotBeCompared) {
  ApiWorld world;
  const std::string one = world.add_run(2);
  EXPECT_EQ(world.get(v1(one, "/compare")).status, 400U);
  EXPECT_EQ(world.get(v1(one, "/compare"), {{"other", "none"}}).status, 404U);
  EXPECT_EQ(world.get(v1("none", "/compare"), {{"other", one}}).status, 404U);
  EXPECT_EQ(world.get(v1(one, "/compare"), {{"other", one}}).status, 200U) << "with itself";
}

}  // namespace
}  // namespace quantlens::server
