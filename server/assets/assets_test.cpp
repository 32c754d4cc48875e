// SPDX-License-Identifier: Apache-2.0
#include "server/assets/assets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

Assets some() {
  return Assets({{.path = "index.html", .plain = "<p>plain</p>", .gzip = "gz", .brotli = "b"},
                 {.path = "app-B2x9_aQ4.js", .plain = "let x;", .gzip = "longer than plain"}},
                "index.html");
}

Response get(const Assets& assets, std::string path, Pairs headers = {}) {
  Request request{.method = "GET", .path = std::move(path)};
  request.headers = std::move(headers);
  return assets.answer(request);
}

std::string tag_of(const Response& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "ETag") return value;
  }
  return "";
}

TEST(Assets, ComeInTheSmallestFormThatIsTaken) {
  const Assets assets = some();
  EXPECT_EQ(*get(assets, "/").body, "<p>plain</p>");
  EXPECT_EQ(*get(assets, "/index.html", {{"accept-encoding", "gzip, deflate, br"}}).body, "b");
  EXPECT_EQ(*get(assets, "/", {{"accept-encoding", "gzip, br;q=0"}}).body, "gz");
  EXPECT_EQ(*get(assets, "/", {{"accept-encoding", "identity"}}).body, "<p>plain</p>");
  const Response packed = get(assets, "/", {{"accept-encoding", "br"}});
  EXPECT_THAT(packed.headers, Contains(Pair("Content-Encoding", "br")));
  EXPECT_THAT(packed.headers, Contains(Pair("Vary", "Accept-Encoding")));
  EXPECT_EQ(*get(assets, "/app-B2x9_aQ4.js", {{"accept-encoding", "gzip"}}).body, "let x;");
}

TEST(Assets, AreNotSentAgainWhereTheyAreKnown) {
  const Assets assets = some();
  const std::string plain = tag_of(get(assets, "/"));
  const std::string packed = tag_of(get(assets, "/", {{"accept-encoding", "br"}}));
  EXPECT_NE(plain, packed) << "a strong tag is of these very bytes";
  EXPECT_TRUE(plain.starts_with('"'));
  const Response known = get(assets, "/", {{"if-none-match", "\"x\", " + plain}});
  EXPECT_EQ(known.status, 304U);
  EXPECT_FALSE(known.body);
  EXPECT_EQ(tag_of(known), plain);
  EXPECT_EQ(get(assets, "/", {{"if-none-match", packed}}).status, 200U);
}

TEST(Assets, AreKeptForEverWhereTheirNameHasAHash) {
  EXPECT_THAT(get(some(), "/app-B2x9_aQ4.js").headers,
              Contains(Pair("Cache-Control", "public, max-age=31536000, immutable")));
  EXPECT_THAT(get(some(), "/").headers, Contains(Pair("Cache-Control", "no-cache")));
}

TEST(Assets, AreReadAlone) {
  Request request{.method = "POST", .path = "/"};
  EXPECT_EQ(some().answer(request).status, 405U);
  request.method = "OPTIONS";
  EXPECT_EQ(some().answer(request).status, 204U);
  EXPECT_EQ(get(some(), "/none.js").status, 404U);
}

TEST(Assets, OfReportsAreNotServed) {
  const Assets assets({{.path = "index.html", .plain = "p"},
                       {.path = "report.js", .plain = "r", .is_for_reports = true}},
                      "index.html");
  EXPECT_EQ(get(assets, "/index.html").status, 200U);
  EXPECT_EQ(get(assets, "/report.js").status, 404U);
}

TEST(Assets, OfThisProgramHaveNoInlineScript) {
  const std::vector<Asset> assets = built_in_assets();
  ASSERT_FALSE(assets.empty());
  for (const Asset& asset : assets) {
    EXPECT_FALSE(asset.plain.empty()) << asset.path;
    EXPECT_FALSE(asset.gzip.empty()) << asset.path;
    if (!asset.path.ends_with(".html") || asset.is_for_reports) continue;
    EXPECT_EQ(asset.plain.find("<script>"), std::string_view::npos);
    EXPECT_EQ(asset.plain.find("style="), std::string_view::npos);
    EXPECT_EQ(asset.plain.find(" on"), std::string_view::npos) << "no handlers in attributes";
  }
}

TEST(AcceptEncoding, NamesWhatIsTaken) {
  EXPECT_TRUE(accepts_coding("gzip", "gzip"));
  EXPECT_TRUE(accepts_coding("deflate , gzip;q=0.5", "gzip"));
  EXPECT_TRUE(accepts_coding("*", "gzip"));
  EXPECT_FALSE(accepts_coding("*;q=0", "gzip"));
  EXPECT_FALSE(accepts_coding("gzip;q=0.000, *", "gzip"));
  EXPECT_FALSE(accepts_coding("xgzip, gzipx", "gzip"));
  EXPECT_FALSE(accepts_coding("", "gzip"));
}

}  // namespace
}  // namespace quantlens::server
