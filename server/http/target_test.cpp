// SPDX-License-Identifier: Apache-2.0
#include "server/http/target.h"

#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

std::string path_of(std::string_view text) {
  const auto target = parse_target(text);
  return target ? target->path : "refused";
}

TEST(Target, IsDecodedAndNormalised) {
  EXPECT_EQ(path_of("/"), "/");
  EXPECT_EQ(path_of("/a/b"), "/a/b");
  EXPECT_EQ(path_of("/a/"), "/a/");
  EXPECT_EQ(path_of("//a///b"), "/a/b");
  EXPECT_EQ(path_of("/./a/./b"), "/a/b");
  EXPECT_EQ(path_of("/a%20b+c"), "/a b+c");
  EXPECT_EQ(path_of("/%C3%A9"), "/\xc3\xa9");
}

TEST(Target, LeavesNoFolder) {
  for (const char* text : {"/..", "/../etc/passwd", "/a/../b", "/%2e%2e/a", "/a/%2E%2e", "/..%2fa",
                           "/%2e%2e%2f%2e%2e%2fetc/passwd", "/a/.%2e"}) {
    EXPECT_EQ(path_of(text), "refused") << text;
  }
  EXPECT_EQ(path_of("/..."), "/...");
  EXPECT_EQ(path_of("/%252e%252e/a"), "/%2e%2e/a") << "is decoded once";
}

TEST(Target, ThatIsMalformedIsRefused) {
  for (const char* text : {"", "a", "*", "http://localhost/", "/%", "/%4", "/%zz", "/%00", "/a%0ab",
                           "/%ff", "/%C0%AF", "/a#b", "/?a=%", "/?a=%00", "/?%ff=1", "/%7f"}) {
    EXPECT_EQ(path_of(text), "refused") << text;
  }
}

TEST(Target, HasItsQueriesInOrder) {
  const auto target = parse_target("/x?op=a%2Fb+c&&flag&n=1=2&op=");
  ASSERT_TRUE(target);
  const Pairs expected{{"op", "a/b c"}, {"flag", ""}, {"n", "1=2"}, {"op", ""}};
  EXPECT_EQ(target->query, expected);
}

TEST(Target, HasSoManyQueries) {
  std::string text = "/?a";
  for (int i = 1; i < 64; ++i) text += "&a";
  EXPECT_TRUE(parse_target(text));
  EXPECT_FALSE(parse_target(text + "&a"));
}

}  // namespace
}  // namespace quantlens::server
