// SPDX-License-Identifier: Apache-2.0
#include "server/events.h"

#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

TEST(Events, AreOneBlockWhateverIsInThem) {
  EXPECT_EQ(event_text("changed", "{}"), "event: changed\ndata: {}\n\n");
  EXPECT_EQ(event_text("a\nid: 7", "x\n\nevent: evil\r\ny\rz"),
            "event: aid: 7\ndata: x\ndata: \ndata: event: evil\ndata: y\ndata: z\n\n");
}

TEST(Events, ReachAllWhoSubscribedBefore) {
  Events events;
  const auto one = events.subscribe(), two = events.subscribe();
  events.publish("a", "1");
  const auto late = events.subscribe();
  EXPECT_EQ(one->take(), event_text("a", "1"));
  EXPECT_EQ(two->take(), event_text("a", "1"));
  EXPECT_EQ(late->take(), std::nullopt);
  EXPECT_EQ(events.readers(), 3U);
}

TEST(Events, DropAReaderWhoDoesNotRead) {
  Events events;
  const auto slow = events.subscribe(), fast = events.subscribe();
  for (std::size_t i = 0; i <= Subscription::kMostWaiting; ++i) {
    events.publish("a", std::to_string(i));
    EXPECT_TRUE(fast->take());
  }
  EXPECT_TRUE(slow->is_over());
  EXPECT_FALSE(fast->is_over());
  EXPECT_EQ(events.readers(), 1U);
}

TEST(Events, KeepNoMoreBytesForAReaderThanAllowed) {
  Events events;
  const auto reader = events.subscribe();
  events.publish("a", std::string(Subscription::kMostBytes, 'x'));
  EXPECT_TRUE(reader->is_over());
  EXPECT_EQ(reader->take(), std::nullopt);
}

TEST(Events, WakeTheReader) {
  Events events;
  const auto reader = events.subscribe();
  int woken = 0;
  reader->on_change([&] { ++woken; });
  events.publish("a", "");
  reader->end();
  EXPECT_EQ(woken, 2);
  reader->on_change(nullptr);
  events.publish("a", "");
  EXPECT_EQ(woken, 2);
}

TEST(Events, ForgetReadersThatAreGone) {
  Events events;
  (void)events.subscribe();
  events.publish("a", "");
  EXPECT_EQ(events.readers(), 0U);
}

}  // namespace
}  // namespace quantlens::server
