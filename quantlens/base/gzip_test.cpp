// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/gzip.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view bytes) {
  try {
    gunzip(bytes, "x.gz");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return "nothing was refused";
}

std::string noise(std::size_t size) {
  std::mt19937 random(1);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Gunzip, GivesWhatWasPacked) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(100'000, 'a'), noise(300'000)}) {
    for (const int level : {1, 6, 9}) {
      const std::string bytes = gzip(text, level);
      EXPECT_EQ(gunzip(bytes, "x.gz"), text);
      EXPECT_EQ(gzip(text, level), bytes);
    }
  }
}

TEST(Gunzip, RefusesBytesThatEndTooEarlyOrGoOn) {
  const std::string bytes = gzip(noise(300), 6);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(refusal(std::string_view(bytes).substr(0, size)), HasSubstr("x.gz: it is")) << size;
  EXPECT_THAT(refusal(bytes + "a"), HasSubstr("bytes follow its end"));
  EXPECT_THAT(refusal(bytes + bytes), HasSubstr("bytes follow its end"));
}

TEST(Gunzip, RefusesEveryByteThatHasChanged) {
  const std::string text = noise(300);
  const std::string bytes = gzip(text, 6);
  constexpr std::size_t kHeader = 10;  // with flags, a time and a system that nobody reads
  for (std::size_t at = kHeader; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(refusal(damaged), "nothing was refused") << at;
  }
}

TEST(Gunzip, RefusesMoreTextThanTheFileIsWorth) {
  constexpr std::size_t kMuch = std::size_t{100} << 20;
  const std::string bomb = gzip(std::string(kMuch, '\0'), 9);
  EXPECT_FALSE(may_be_unpacked(bomb.size(), kMuch));
  EXPECT_THAT(refusal(bomb), HasSubstr("x.gz: it holds more text than is read"));
  std::string lying = bomb;
  lying.replace(lying.size() - 4, 4, std::string(4, '\1'));
  EXPECT_THAT(refusal(lying), HasSubstr("it holds more text than is read"));
  EXPECT_TRUE(may_be_unpacked(1 << 20, kMuch));
}

}  // namespace
}  // namespace quantlens
