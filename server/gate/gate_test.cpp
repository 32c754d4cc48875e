// SPDX-License-Identifier: Apache-2.0
#include "server/gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

const Peer kPeer{.address = "127.0.0.1", .local_address = "127.0.0.1", .local_port = 5000};

Request get(std::string path, Pairs headers = {}, Pairs query = {}) {
  Request request{.method = "GET", .path = std::move(path), .query = std::move(query)};
  request.headers = std::move(headers);
  request.headers.emplace_back("host", "localhost:5000");
  return request;
}

/// 0: let in.
unsigned status_of(Gate& gate, Request request) {
  const auto answer = gate.check(request, kPeer);
  return answer ? answer->status : 0;
}

TEST(Gate, LetsNobodyAskTheApiWithoutTheToken) {
  Gate gate({.token = "secret"});
  EXPECT_EQ(status_of(gate, get("/")), 0U);
  EXPECT_EQ(status_of(gate, get("/list.js")), 0U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads")), 403U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {}, {{"token", "secret"}})), 403U)
      << "an address is written to logs";
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"authorization", "wrong"}})), 403U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"authorization", "Bearer secret"}})), 0U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"authorization", "secret"}})), 0U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"cookie", "quantlens-5000=secret"}})), 0U);
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"cookie", "quantlens-5001=secret"}})), 403U);
}

TEST(Gate, SaysThePredecessorsWordsToAWrongToken) {
  Gate gate({.token = "secret"});
  Request request = get("/api/x", {{"authorization", "wrong"}});
  EXPECT_EQ(*gate.check(request, kPeer)->body, kWrongToken);
}

TEST(Gate, ExchangesTheTokenForACookie) {
  Gate gate({.token = "secret"});
  Request request = get("/", {}, {{"token", "secret"}});
  const auto answer = gate.check(request, kPeer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 303U);
  EXPECT_THAT(answer->headers, testing::Contains(testing::Pair("Location", "/")));
  EXPECT_THAT(
      answer->headers,
      testing::Contains(testing::Pair(
          "Set-Cookie", "quantlens-5000=secret; Path=/; HttpOnly; SameSite=Strict; Secure")));
  EXPECT_EQ(status_of(gate, get("/", {}, {{"token", "wrong"}})), 403U);
}

TEST(Gate, TakesTheBrowsersTokenOnce) {
  Gate gate({.token = "secret", .once = "once"});
  EXPECT_EQ(status_of(gate, get("/api/v1/workloads", {{"authorization", "once"}})), 403U);
  EXPECT_EQ(status_of(gate, get("/", {}, {{"token", "once"}})), 303U);
  EXPECT_EQ(status_of(gate, get("/", {}, {{"token", "once"}})), 403U);
}

TEST(Gate, SlowsGuessesDownAndLocksNobodyOut) {
  Gate gate({.token = "secret"});
  int refused = 0;
  for (int i = 0; i < 50; ++i)
    refused += status_of(gate, get("/api/x", {{"authorization", "wrong"}})) == 429 ? 1 : 0;
  EXPECT_GE(refused, 39);
  Request guess = get("/", {}, {{"token", "wrong"}});
  const auto answer = gate.check(guess, kPeer);
  EXPECT_EQ(answer->status, 429U);
  EXPECT_THAT(answer->headers, testing::Contains(testing::Key("Retry-After")));
  EXPECT_EQ(status_of(gate, get("/api/x", {{"authorization", "secret"}})), 0U);
}

TEST(Gate, RefusesOtherHostsAndOriginsEvenWithTheToken) {
  Gate gate({.token = "secret"});
  Request rebound{.method = "GET", .path = "/api/x"};
  rebound.headers = {{"host", "evil.com"}, {"authorization", "secret"}};
  EXPECT_EQ(status_of(gate, rebound), 403U);
  EXPECT_EQ(
      status_of(gate, get("/api/x", {{"origin", "https://evil.com"}, {"authorization", "secret"}})),
      403U);
}

TEST(Gate, TakesThePrefixOff) {
  Gate gate({.token = "secret", .prefix = "/a/b"});
  Request request = get("/a/b/list.js");
  EXPECT_FALSE(gate.check(request, kPeer));
  EXPECT_EQ(request.path, "/list.js");
  EXPECT_EQ(status_of(gate, get("/a/b")), 308U);
  EXPECT_EQ(status_of(gate, get("/a/bc")), 404U);
  EXPECT_EQ(status_of(gate, get("/")), 404U);
  EXPECT_EQ(status_of(gate, get("/a/b/api/x")), 403U);
  Request opened = get("/a/b/", {}, {{"token", "secret"}});
  EXPECT_THAT(gate.check(opened, kPeer)->headers,
              testing::Contains(testing::Pair("Location", "/a/b/")));
}

}  // namespace
}  // namespace quantlens::server
