// SPDX-License-Identifier: Apache-2.0
#include "server/api/watcher.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// The next event, or an empty text after a while.
std::string next(Subscription& reader) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (const auto event = reader.take()) return *event;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return "";
}

TEST(Watcher, TellsOfRunsThatComeGoOnEndAndGo) {
  ApiWorld world;
  Runs runs(world.store, world.workspace);
  const Watcher watcher(world.folder.path(), runs, world.events);
  const auto reader = world.api.answer({.method = "GET", .path = "/api/v1/events"}).events;
  ASSERT_TRUE(reader);
  std::this_thread::sleep_for(milliseconds(300));  // it has looked once
  const auto began = std::chrono::steady_clock::now();
  auto writer = world.workspace.create("quantize", "net", {});
  const std::string id = writer->workload().id;
  std::string event = next(*reader);
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(1000));
  EXPECT_THAT(event, HasSubstr("event: workloads\n"));
  EXPECT_THAT(event, HasSubstr(id));
  writer->log(kEvents, R"({"event": "progress", "step": "compare", "done": 5})"
                       "\n");
  EXPECT_THAT(next(*reader), HasSubstr("\"done\":5"));
  writer->succeed();
  EXPECT_THAT(next(*reader), HasSubstr("\"state\":\"success\""));
  writer.reset();
  world.workspace.remove(id);
  do event = next(*reader);
  while (!event.empty() && event.find("\"state\":null") == std::string::npos);
  EXPECT_THAT(event, HasSubstr(id));
}

}  // namespace
}  // namespace quantlens::server
