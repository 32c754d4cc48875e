// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/error.h"

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(Error, CarriesItsKindAndItsSentence) {
  const Error error(Errc::not_found, "a.onnx: no such file; check the path");
  EXPECT_EQ(error.code(), Errc::not_found);
  EXPECT_STREQ(error.what(), "a.onnx: no such file; check the path");
}

TEST(ExitCode, TellsWrongUseAndInterruptionFromFailure) {
  EXPECT_EQ(exit_code(Errc::usage), 2);
  EXPECT_EQ(exit_code(Errc::interrupted), 130);
  for (const Errc code :
       {Errc::failed, Errc::bad_input, Errc::not_found, Errc::unsupported, Errc::io}) {
    EXPECT_EQ(exit_code(code), 1);
  }
}

}  // namespace
}  // namespace quantlens
