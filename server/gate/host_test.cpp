// SPDX-License-Identifier: Apache-2.0
#include "server/gate/host.h"

#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

bool is_own(const std::string& host, std::string_view local = "127.0.0.1") {
  Request request;
  request.headers.emplace_back("host", host);
  return is_own_host(request, {"build.example.org"}, local);
}

bool is_allowed(Pairs headers, bool is_secure = true) {
  Request request;
  request.headers = std::move(headers);
  request.headers.emplace_back("host", "localhost:5000");
  return is_same_origin(request, is_secure);
}

TEST(Host, HasANameAndPerhapsAPort) {
  EXPECT_EQ(host_name("LocalHost:5000"), "localhost");
  EXPECT_EQ(host_name("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host_name("[::1]:5000"), "[::1]");
  EXPECT_EQ(host_name("[::1]"), "[::1]");
  for (const char* text : {"", ":5000", "a:", "a:0", "a:65536", "a:5000x", "[::1", "[::1]5000",
                           "[]", "a b", "a/b", "a@b", "a,b", "::1", "evil.com#localhost"})
    EXPECT_EQ(host_name(text), std::nullopt) << text;
}

TEST(Host, IsTheAddressOfTheConnectionOrAGivenName) {
  EXPECT_TRUE(is_own("127.0.0.1:5000"));
  EXPECT_TRUE(is_own("localhost:9000")) << "a tunnel has a port of its own";
  EXPECT_TRUE(is_own("BUILD.example.org"));
  EXPECT_TRUE(is_own("[::1]:5000", "::1"));
  EXPECT_TRUE(is_own("10.1.2.3", "10.1.2.3"));
}

TEST(Host, OfAnotherIsRefused) {
  for (const char* host : {"evil.com", "evil.com:5000", "127.0.0.1.evil.com", "localhost.evil.com",
                           "evil.com:127.0.0.1", "10.1.2.3", "0.0.0.0", "example.org", ""})
    EXPECT_FALSE(is_own(host)) << host;
  EXPECT_FALSE(is_own("localhost", "10.1.2.3")) << "a name that may resolve to anything there";
  EXPECT_FALSE(is_own_host({}, {}, "127.0.0.1"));
}

TEST(Origin, IsOurOwnOrNotSaid) {
  EXPECT_TRUE(is_allowed({}));
  EXPECT_TRUE(is_allowed({{"origin", "https://localhost:5000"}}));
  EXPECT_TRUE(is_allowed({{"sec-fetch-site", "same-origin"}}));
  EXPECT_TRUE(is_allowed({{"sec-fetch-site", "none"}}));
  EXPECT_TRUE(is_allowed({{"origin", "http://localhost:5000"}}, false));
}

TEST(Origin, OfAnotherIsRefused) {
  for (const char* origin :
       {"https://evil.com", "null", "http://localhost:5000", "https://localhost",
        "https://localhost:5001", "https://localhost:5000.evil.com", ""})
    EXPECT_FALSE(is_allowed({{"origin", origin}})) << origin;
  for (const char* site : {"cross-site", "same-site", ""})
    EXPECT_FALSE(is_allowed({{"sec-fetch-site", site}})) << site;
  EXPECT_FALSE(
      is_allowed({{"origin", "https://localhost:5000"}, {"sec-fetch-site", "cross-site"}}));
}

}  // namespace
}  // namespace quantlens::server
