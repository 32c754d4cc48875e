// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/progress_events.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// The events of some work, each as "event step done".
std::vector<std::string> told(std::chrono::milliseconds interval) {
  std::vector<std::string> events;
  ProgressEvents progress(
      [&](std::string_view line) {
        EXPECT_TRUE(line.ends_with('\n'));
        const json::Value event = json::parse(line, "line");
        if (event.at("event") == "note") {
          events.emplace_back(event.at("text").as_string());
          return;
        }
        EXPECT_EQ(event.at("total"), json::Value(3));
        EXPECT_GE(event.at("seconds").as_double(), 0);
        events.push_back(std::string(event.at("event").as_string()) + " " +
                         std::string(event.at("step").as_string()) + " " +
                         std::to_string(event.at("done").to_number<int>()));
      },
      interval);
  progress.begin("calibrate", 3);
  progress.advance(1);
  progress.note("a \"quoted\"\nnote");
  progress.advance(2);
  progress.end();
  return events;
}

TEST(ProgressEvents, AreOneJsonObjectALine) {
  EXPECT_THAT(told(std::chrono::milliseconds(0)),
              ElementsAre("begin calibrate 0", "progress calibrate 1", "a \"quoted\"\nnote",
                          "progress calibrate 3", "end calibrate 3"));
}

TEST(ProgressEvents, TellWhereTheRunIsKept) {
  std::vector<std::string> lines;
  ProgressEvents progress([&](std::string_view line) { lines.emplace_back(line); },
                          std::chrono::seconds(1));
  progress.kept_as("20261121-a", "/w/20261121-a");
  EXPECT_THAT(lines, ElementsAre("{\"event\":\"workload\",\"id\":\"20261121-a\",\"folder\":\"/w/"
                                 "20261121-a\"}\n"));
}

TEST(ProgressEvents, AreReadBackFromTheirLines) {
  std::string lines;
  ProgressEvents progress([&](std::string_view line) { lines += line; }, std::chrono::hours(1));
  progress.begin("compare", std::nullopt);
  progress.note("told");
  const std::vector<ProgressEvent> events = events_of_lines(lines + R"({"event":"en)", "here");
  ASSERT_EQ(events.size(), 2U) << "the third is being written";
  EXPECT_EQ(events[0].event, EventKind::begin);
  EXPECT_EQ(events[0].step, "compare");
  EXPECT_EQ(events[0].done, 0U);
  EXPECT_EQ(events[0].total, std::nullopt);
  EXPECT_EQ(events[1], (ProgressEvent{.event = EventKind::note, .text = "told"}));
  EXPECT_TRUE(events_of_lines("", "here").empty());
}

TEST(ProgressEvents, ThatAreDamagedAreRefusedByTheirLine) {
  for (const char* damaged : {"{\"event\":\"note\"}\n{}x\n", "{\"event\":\"note\"}\n\n",
                              "{\"event\":\"note\"}\n{\"event\":\"odd\"}\n"}) {
    try {
      events_of_lines(damaged, "events");
      ADD_FAILURE() << damaged;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("events, line 2")) << damaged;
    }
  }
}

TEST(ProgressEvents, AreAtMostOneAnInterval) {
  EXPECT_THAT(told(std::chrono::hours(1)),
              ElementsAre("begin calibrate 0", "a \"quoted\"\nnote", "end calibrate 3"));
}

}  // namespace
}  // namespace quantlens
