// SPDX-License-Identifier: Apache-2.0
#include "server/token.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

Request with(std::string name, std::string value) {
  Request request;
  request.headers.emplace_back(std::move(name), std::move(value));
  return request;
}

TEST(Token, Is32DigitsAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(make_token());
  EXPECT_EQ(tokens.size(), 100U);
  EXPECT_EQ(tokens.begin()->size(), 32U);
  EXPECT_EQ(tokens.begin()->find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Token, MatchesItselfAlone) {
  const std::string token = make_token();
  EXPECT_TRUE(is_same_secret(token, token));
  EXPECT_FALSE(is_same_secret(token + "0", token));
  EXPECT_FALSE(is_same_secret(token.substr(1), token));
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(is_same_secret(other, token));
}

/// An early end would be a thousand times faster here, so a busy machine does no harm.
TEST(Token, IsComparedInATimeThatDoesNotTellWhereItDiffers) {
  const std::string secret(std::size_t{1} << 20, 'a');
  std::string first = secret, last = secret;
  first.front() = last.back() = 'b';
  const auto fastest = [&](const std::string& given) {
    auto least = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 20; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_FALSE(is_same_secret(given, secret));
      least = std::min(least, std::chrono::steady_clock::now() - begin);
    }
    return least;
  };
  EXPECT_GT(4 * fastest(first), fastest(last));
}

TEST(Token, ThatIsEmptyMatchesNothing) {
  EXPECT_FALSE(is_same_secret("", ""));
}

TEST(Token, IsTakenFromAuthorizationWithAndWithoutItsScheme) {
  EXPECT_EQ(shown_secret(with("authorization", "Bearer abc"), "c"), "abc");
  EXPECT_EQ(shown_secret(with("authorization", "bEARER   abc "), "c"), "abc");
  EXPECT_EQ(shown_secret(with("authorization", "abc"), "c"), "abc");
  EXPECT_EQ(shown_secret(with("authorization", ""), "c"), "");
}

TEST(Token, IsTakenFromTheCookieOfThisName) {
  EXPECT_EQ(shown_secret(with("cookie", "a=1; quantlens-5000=abc; b=2"), "quantlens-5000"), "abc");
  EXPECT_EQ(shown_secret(with("cookie", "quantlens-5001=abc"), "quantlens-5000"), std::nullopt);
  EXPECT_EQ(shown_secret(with("cookie", "xquantlens-5000=abc"), "quantlens-5000"), std::nullopt);
  EXPECT_EQ(shown_secret({}, "quantlens-5000"), std::nullopt);
}

}  // namespace
}  // namespace quantlens::server
