// SPDX-License-Identifier: Apache-2.0
#include "server/api/what_if_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using testing::HasSubstr;

/// A run whose second op has a local error, of which three quarters are its rounding.
std::string add_measured(ApiWorld& world) {
  const std::string id = world.add_run();
  WorkloadReader reader(world.store, world.folder_of(id));
  Diagnosis diagnosis = reader.get<Diagnosis>().value();
  ActivationRow& row = diagnosis.activations.at(1);
  row.local_mse = 1.0;
  row.local_sqnr_db = 20.0;
  row.rounding_mse = 0.75;
  row.clipping_mse = row.weight_mse = 0.0;
  row.input_mse = 0.25;
  row.output_share = 0.5;
  world.write(world.folder_of(id) / FileOf<Diagnosis>::kName, to_file(diagnosis));
  return v1(id, "/what-if");
}

TEST(WhatIfRoute, TellsWhatOtherCodesCostAndTheRecipeForThem) {
  ApiWorld world;
  const std::string path = add_measured(world);
  const json::Value told = ApiWorld::parsed(world.post(path, R"({"changes": [
      {"value": "v1", "activation": {"dtype": "fp32"}}]})"));
  const json::Value& change = told.at("changes").at(0);
  EXPECT_EQ(change.at("known_by"), "histogram") << change;
  EXPECT_NEAR(change.at("expected").at("mse").as_double(), 0.25, 1e-9);
  EXPECT_NEAR(told.at("output_gain").as_double(), 0.5, 1e-9) << "all that begins there";
  EXPECT_EQ(told.at("recipe").at("op_name_dict").as_object().size(), 1U);
}

TEST(WhatIfRoute, SaysWhatIsNotStored) {
  ApiWorld world;
  const std::string path = add_measured(world);
  const json::Value told = ApiWorld::parsed(world.post(path, R"({"changes": [
      {"value": "v0", "range": {"min": -1, "max": 1}}]})"));
  EXPECT_TRUE(told.at("recipe").is_null()) << "no recipe says a range";
  EXPECT_EQ(told.at("changes").at(0).at("known_by"), "unknown");
  EXPECT_EQ(told.at("changes").at(0).at("reason"), "its local error was not measured");
  EXPECT_TRUE(told.at("output_gain").is_null());
}

TEST(WhatIfRoute, RefusesWhatIsNoQuestion) {
  ApiWorld world;
  const std::string path = add_measured(world);
  const auto refused = [&](const std::string& body) { return world.post(path, body); };
  EXPECT_EQ(refused("").status, 400U);
  EXPECT_EQ(refused("[]").status, 400U);
  EXPECT_EQ(refused(R"({"changes": []})").status, 400U);
  EXPECT_EQ(refused(R"({"changes": [{"value": "v1"}]})").status, 400U) << "it asks for nothing";
  EXPECT_THAT(text_of(refused(R"({"changes": [{"value": "v1", "activaton": {}}]})")),
              HasSubstr("nothing reads its key 'activaton'"));
  EXPECT_EQ(refused(R"({"changes": [{"value": "nothing"}]})").status, 404U);
  const Response word =
      refused(R"({"changes": [{"value": "v1", "activation": {"dtype": "int7"}}]})");
  EXPECT_EQ(word.status, 400U);
  EXPECT_THAT(text_of(word), HasSubstr("int7"));
  EXPECT_EQ(refused(R"({"changes": [{"value": "v1", "range": {"min": 2, "max": 1}}]})").status,
            400U);
}

}  // namespace
}  // namespace quantlens::server
