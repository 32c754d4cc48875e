// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/histogram_rows.h"

#include <vector>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(HistogramRows, HaveEachBinThatHoldsElementsOfBothSides) {
  PairedStats pair;
  pair.reference = "a,b";
  pair.quantized = "q";
  pair.reference_histogram.add(std::vector<float>{-1, 0, 2, 2});
  pair.code_histogram.counts[3] = 4;
  EXPECT_EQ(histogram_rows(pair),
            "\"a,b\",q,reference,-1.00390625,-1.0,1\r\n"
            "\"a,b\",q,reference,-1.1754943508222875e-38,1.1754943508222875e-38,1\r\n"
            "\"a,b\",q,reference,2.0,2.0078125,2\r\n"
            "\"a,b\",q,code,3.0,3.0,4\r\n");
}

TEST(HistogramRows, OfAnEmptyTensorAreNone) {
  EXPECT_EQ(histogram_rows(PairedStats()), "");
}

}  // namespace
}  // namespace quantlens
