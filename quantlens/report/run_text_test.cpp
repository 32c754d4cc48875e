// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

/// Of `quantlens calibrate`.
RunRecords calibration() {
  RunRecords records;
  records.run.id = "one";
  records.statistics = {.output = "s.bin", .samples = 100, .values = 1};
  return records;
}

TEST(RunText, OfACalibrationIsWhatItGathered) {
  EXPECT_EQ(run_text(calibration(), RunView()), "statistics: s.bin  (1 value over 100 samples)\n");
}

TEST(RunJson, OfACalibrationIsTheSameInFields) {
  EXPECT_EQ(run_json(calibration()),
            (boost::json::object{
                {"workload", "one"}, {"output", "s.bin"}, {"samples", 100}, {"values", 1}}));
}

/// JSON has no words for what is no number: the records' own stand there.
TEST(RunJson, OfTimesThatAreNoNumbersIsJson) {
  RunRecords records;
  records.profile.emplace();
  records.profile->reference.wall.median_us = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run_json(records).at("wall_us"), "inf");
  records.profile->quantized.emplace().wall.median_us = std::numeric_limits<double>::quiet_NaN();
  records.profile->quantized->explained = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(run_json(records).at("wall_us"), "nan");
  EXPECT_EQ(run_json(records).at("explained"), "nan");
}

TEST(RunTable, OfACalibrationSaysWhatItGathered) {
  const std::optional<Table> table = run_table(calibration(), RunView());
  ASSERT_TRUE(table);
  EXPECT_EQ(to_csv(*table), "File,Values,Samples\r\ns.bin,1,100\r\n");
}

TEST(RunTable, OfARunThatFoundNothingThereIsNone) {
  EXPECT_FALSE(run_table(RunRecords(), RunView()));
}

}  // namespace
}  // namespace quantlens
