// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/channel_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// Weights with so many channels each; all scales differ between weights.
Plan plan_with_channels(const std::vector<std::size_t>& channels) {
  Plan plan;
  for (const std::size_t count : channels) {
    WeightPlan& weight = plan.weights_quantized.emplace_back();
    weight.weight = "w" + std::to_string(plan.weights_quantized.size());
    for (std::size_t c = 0; c < count; ++c)
      weight.params.push_back({.scale = 0.1F / static_cast<float>(count + c), .zero_point = 0});
  }
  return plan;
}

std::string list_refusal(std::string_view bytes, std::string_view stamp) {
  try {
    (void)ChannelListsReader(bytes, "x.bin").find(stamp);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return "nothing was refused";
}

TEST(ChannelLists, AreTakenOutOfARecordAndPutBack) {
  const json::Value whole = to_value(plan_with_channels({1, 3, 64, 500}));
  json::Value record = whole;
  const ChannelLists lists = take_channel_lists(record);
  EXPECT_THAT(lists, SizeIs(2)) << "short ones stay";
  EXPECT_NE(record, whole);
  const std::string bytes = to_bytes(lists);
  const ChannelListsReader reader(bytes, "x.bin");
  const auto find = [&](std::string_view stamp) { return reader.find(stamp); };
  EXPECT_TRUE(put_channel_lists(record, find));
  EXPECT_EQ(record, whole);
  EXPECT_FALSE(put_channel_lists(record, find));
}

TEST(ChannelLists, OfTwoRecordsStandOnceWhereTheyAreEqual) {
  json::Value plan = to_value(plan_with_channels({64, 500}));
  Pairing pairing;
  for (const WeightPlan& weight : plan_with_channels({500, 64}).weights_quantized)
    pairing.weights.emplace_back().params = weight.params;
  json::Value other = to_value(pairing);
  ChannelLists lists = take_channel_lists(plan);
  lists.merge(take_channel_lists(other));
  EXPECT_THAT(lists, SizeIs(2));
}

TEST(ChannelLists, AreFoundByWhatNamesThem) {
  json::Value plan = to_value(plan_with_channels({64, 500}));
  const std::string bytes = to_bytes(take_channel_lists(plan));
  const ChannelListsReader reader(bytes, "x.bin");
  EXPECT_THAT(reader.named_in(json::dump(plan)), SizeIs(2));
  EXPECT_THAT(reader.named_in("{}"), SizeIs(0));
}

TEST(ChannelLists, ThatAreDamagedAreRefused) {
  json::Value plan = to_value(plan_with_channels({64, 500}));
  const ChannelLists lists = take_channel_lists(plan);
  const std::string bytes = to_bytes(lists);
  const std::string stamp = lists.begin()->first;
  EXPECT_EQ(list_refusal(bytes, stamp), "nothing was refused");
  EXPECT_THAT(list_refusal(bytes, "0123"), HasSubstr("x.bin: there is no list '0123'; run"));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(list_refusal(std::string_view(bytes).substr(0, size), stamp), HasSubstr("x.bin: "));
  const auto with = [&](std::string_view text, std::string_view other) {
    std::string damaged = bytes;
    damaged.replace(damaged.rfind(text), text.size(), other);
    return list_refusal(damaged, stamp);
  };
  EXPECT_THAT(with(":0,", ":9,"), HasSubstr("x.bin: "));
  EXPECT_THAT(with(":0,", ":9999999,"), HasSubstr("points behind its end"));
  EXPECT_THAT(with(":0,", ":-1,"), HasSubstr("x.bin"));
  EXPECT_THAT(with("\"lists\"", "\"lists_\""), HasSubstr("x.bin: "));
  ChannelLists exchanged = lists;
  exchanged.begin()->second = "[1,2]";
  EXPECT_THAT(list_refusal(to_bytes(exchanged), stamp), HasSubstr("is another one"));
}

}  // namespace
}  // namespace quantlens
