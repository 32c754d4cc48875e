// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

TEST(Crc32c, IsThatOfItsStandard) {
  // RFC 3720, B.4: 32 bytes of zeros have 0x8a9136aa; masked by TensorFlow's rule.
  const std::uint32_t crc = 0x8A9136AA;
  EXPECT_EQ(masked_crc32c(std::string(32, '\0')), ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U);
}

TEST(Crc32c, TellsAFileOfRecordsByItsFirstBytes) {
  const std::string head = {3, 0, 0,      0,      0,      0,
                            0, 0, '\xb0', '\x99', '\x49', '\x0e'};  // as TensorFlow writes it
  EXPECT_TRUE(begin_with_record(head + "abc"));
  EXPECT_FALSE(begin_with_record("abc" + head));
  EXPECT_FALSE(begin_with_record(head.substr(0, 11)));
  EXPECT_FALSE(begin_with_record(""));
}

}  // namespace
}  // namespace quantlens
