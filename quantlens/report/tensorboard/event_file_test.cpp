// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_file.h"

#include <cstring>

#include <gtest/gtest.h>
#include <protozero/pbf_reader.hpp>

#include "quantlens/base/crc32c.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/stats/bytes.h"

namespace quantlens {
namespace {

/// The records' bytes; fails where a checksum is not theirs.
std::vector<std::string> records_of(std::string_view bytes) {
  std::vector<std::string> records;
  while (!bytes.empty()) {
    const std::string_view head = bytes.substr(0, 8);
    const std::uint64_t size = take_u64(bytes);
    EXPECT_EQ(take_u32(bytes), masked_crc32c(head));
    records.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
    EXPECT_EQ(take_u32(bytes), masked_crc32c(records.back()));
  }
  return records;
}

/// The bytes of the first field of this number; empty where there is none.
std::string field(std::string_view message, protozero::pbf_tag_type number) {
  protozero::pbf_reader reader(message.data(), message.size());
  return reader.next(number) ? std::string(reader.get_view()) : std::string();
}

double number_in(std::string_view message, protozero::pbf_tag_type number) {
  protozero::pbf_reader reader(message.data(), message.size());
  return reader.next(number) ? reader.get_double() : -1;
}

std::vector<std::string> written(const std::function<void(EventFile&)>& add) {
  MemoryStore store;
  const auto bytes = store.create("events");
  EventFile file(*bytes, 12.5);
  add(file);
  bytes->commit();
  return records_of(store.read("events").text());
}

TEST(EventFile, BeginsWithItsVersion) {
  const auto records = written([](EventFile&) {});
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(field(records[0], 3), "brain.Event:2");
  EXPECT_EQ(number_in(records[0], 1), 12.5);
}

TEST(EventFile, TellsScalarsAndHistograms) {
  EventSummary summary;
  summary.scalar("accuracy", 0.75);
  EventBuckets buckets;
  buckets.min = -1;
  buckets.max = 2;
  buckets.count = 3;
  buckets.sum = 2;
  buckets.sum_squares = 6;
  buckets.limits = {0, 3};
  buckets.counts = {1, 2};
  summary.histogram("conv/Output", buckets);
  const auto records = written([&](EventFile& file) { file.add(7, summary); });
  ASSERT_EQ(records.size(), 2U);
  protozero::pbf_reader event(records[1]);
  ASSERT_TRUE(event.next(2));
  EXPECT_EQ(event.get_int64(), 7);
  const std::string told = field(records[1], 5);
  protozero::pbf_reader values(told);
  ASSERT_TRUE(values.next(1));
  const std::string scalar(values.get_view());
  EXPECT_EQ(field(scalar, 1), "accuracy");
  protozero::pbf_reader simple(scalar);
  ASSERT_TRUE(simple.next(2));
  EXPECT_EQ(simple.get_float(), 0.75F);
  ASSERT_TRUE(values.next(1));
  const std::string histogram = field(std::string(values.get_view()), 5);
  EXPECT_EQ(number_in(histogram, 1), -1);
  EXPECT_EQ(number_in(histogram, 2), 2);
  EXPECT_EQ(number_in(histogram, 3), 3);
  EXPECT_EQ(number_in(histogram, 4), 2);
  EXPECT_EQ(number_in(histogram, 5), 6);
  EXPECT_EQ(field(histogram, 6).size(), 2 * sizeof(double));
  EXPECT_EQ(field(histogram, 7).size(), 2 * sizeof(double));
}

TEST(EventFile, TellsTextsAndSessionsByTheirPlugins) {
  EventSummary summary;
  summary.text("verdict", "**good**");
  summary.session({{"weight.granularity", std::string("per_tensor")}, {"reduce", true}}, "tune_1",
                  4);
  const auto records = written([&](EventFile& file) { file.add(0, summary); });
  const std::string told = field(records.at(1), 5);
  protozero::pbf_reader values(told);
  std::vector<std::pair<std::string, std::string>> plugins;
  while (values.next(1)) {
    const std::string value(values.get_view());
    plugins.emplace_back(field(value, 1), field(field(field(value, 9), 1), 1));
    EXPECT_FALSE(field(value, 8).empty()) << "who asks for tensors finds one";
  }
  EXPECT_EQ(plugins, (std::vector<std::pair<std::string, std::string>>{
                         {"verdict", "text"},
                         {"_hparams_/session_start_info", "hparams"},
                         {"_hparams_/session_end_info", "hparams"}}));
  EXPECT_NE(told.find("**good**"), std::string::npos);
  EXPECT_NE(told.find("per_tensor"), std::string::npos);
}

}  // namespace
}  // namespace quantlens
