// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/workload_id.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace quantlens {
namespace {

// 2026-11-21 11:30:45.123 UTC
constexpr Moment kMoment{std::chrono::milliseconds(1795260645123)};

TEST(UtcText, HasMilliseconds) {
  EXPECT_EQ(utc_text(kMoment), "2026-11-21T11:30:45.123Z");
  EXPECT_EQ(utc_text(Moment{}), "1970-01-01T00:00:00.000Z");
}

TEST(WorkloadId, TellsTimeVerbAndName) {
  EXPECT_EQ(make_workload_id(kMoment, "quantize", "mobilenet", 0x3f2a),
            "20261121-113045-quantize-mobilenet-3f2a");
  EXPECT_EQ(make_workload_id(kMoment, "quantize", "mobilenet", 7),
            "20261121-113045-quantize-mobilenet-0007");
}

TEST(WorkloadId, MakesNamesSafeForFiles) {
  const auto name_part = [](std::string_view name) {
    const std::string id = make_workload_id(kMoment, "v", name, 0);
    return id.substr(18, id.size() - 18 - 5);
  };
  EXPECT_EQ(name_part("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(name_part("my model (final)"), "my-model-final");
  EXPECT_EQ(name_part("r\xC3\xA9seau.v2"), "r-seau.v2");
  EXPECT_EQ(name_part(""), "model");
  EXPECT_EQ(name_part("..."), "model");
  EXPECT_EQ(name_part(std::string(500, 'x')), std::string(40, 'x'));
}

RC_GTEST_PROP(WorkloadId, IsASafeFileNameWhateverTheName, (std::string verb, std::string name)) {
  const std::string id = make_workload_id(kMoment, verb, name, 1);
  const std::string allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  RC_ASSERT(id.find_first_not_of(allowed) == std::string::npos);
  RC_ASSERT(id.size() < 110u);
}

TEST(TimeOfWorkloadId, ReadsBackTheSecond) {
  EXPECT_EQ(time_of_workload_id("20261121-113045-quantize-mobilenet-3f2a"), "2026-11-21T11:30:45Z");
  EXPECT_EQ(time_of_workload_id("notes"), "");
  EXPECT_EQ(time_of_workload_id("2026112x-113045-quantize"), "");
}

}  // namespace
}  // namespace quantlens
