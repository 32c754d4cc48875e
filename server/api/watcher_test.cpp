// SPDX-License-Identifier: Apache-2.0
#include "server/api/watcher.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using std::chrono::milliseconds;

/// Whether an event with this text comes within a while; a busy machine may tell others before.
bool is_told(Subscription& reader, const std::string& text) {
  for (int tries = 0; tries < 3000; ++tries) {
    const auto event = reader.take();
    if (event && event->find(text) != std::string::npos)
      return event->starts_with("event: workloads\n");
    if (!event) std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(Watcher, TellsOfRunsThatComeGoOnEndAndGo) {
  ApiWorld world;
  Runs runs(world.store, world.workspace);
  const Watcher watcher(world.folder.path(), runs, world.events);
  const auto reader = world.api.answer({.method = "GET", .path = "/api/v1/events"}).events;
  ASSERT_TRUE(reader);
  auto writer = world.workspace.create("quantize", "net", {});
  const std::string id = writer->workload().id;
  EXPECT_TRUE(is_told(*reader, id));
  writer->log(kEvents, R"({"event": "progress", "step": "compare", "done": 5})"
                       "\n");
  EXPECT_TRUE(is_told(*reader, "\"done\":5"));
  writer->succeed();
  EXPECT_TRUE(is_told(*reader, "\"state\":\"success\""));
  writer.reset();
  world.workspace.remove(id);
  EXPECT_TRUE(is_told(*reader, "\"state\":null"));
}

}  // namespace
}  // namespace quantlens::server
