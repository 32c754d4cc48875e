// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/run_text.h"

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

TEST(RunTable, OfACalibrationThereIsNone) {
  EXPECT_FALSE(run_table(calibration(), RunView()));
}

}  // namespace
}  // namespace quantlens
