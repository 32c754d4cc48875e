// SPDX-License-Identifier: Apache-2.0
#include "server/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/private_file.h"

namespace quantlens::server {
namespace {

ServeOptions options(const TemporaryFolder& folder) {
  return {.workspace = folder.path() / "new", .port = std::uint16_t{0}};
}

Endpoint nothing() {
  return {.plan_body = [](const Request&) { return BodyPlan(); },
          .answer = [](const Request&) { return Response{}; }};
}

TEST(UrlPrefix, HasASlashInFrontAndNoneBehind) {
  EXPECT_EQ(parse_url_prefix(""), "");
  EXPECT_EQ(parse_url_prefix("/"), "");
  EXPECT_EQ(parse_url_prefix("a"), "/a");
  EXPECT_EQ(parse_url_prefix("/a/b-c_d.e/"), "/a/b-c_d.e");
  for (const char* text :
       {"a b", "..", "a/../b", "a//b", ".", "./a", "a/./b", "a?b", "a%20b", "<b>"})
    EXPECT_THROW(parse_url_prefix(text), Error) << text;
}

TEST(WorkspaceServer, SaysItsAddressWithTheTokenThatItKeeps) {
  const TemporaryFolder folder;
  ServeOptions chosen = options(folder);
  chosen.url_prefix = "q";
  chosen.gui_port = 9000;
  const WorkspaceServer served(chosen, nothing());
  const auto token = read_private(chosen.workspace / "token");
  ASSERT_TRUE(token);
  EXPECT_EQ(served.url(), "https://127.0.0.1:9000/q/?token=" + *token);
  EXPECT_EQ(served.once_url(), "");
}

TEST(WorkspaceServer, TakesItsOwnTokenAlongAndNoOther) {
  const TemporaryFolder folder;
  const fs::path file = options(folder).workspace / "token";
  { const WorkspaceServer served(options(folder), nothing()); }
  EXPECT_FALSE(fs::exists(file));
  {
    const WorkspaceServer served(options(folder), nothing());
    write_private(file, "of a later server");
  }
  EXPECT_EQ(read_private(file), "of a later server");
}

TEST(WorkspaceServer, GivesABrowserATokenOfItsOwn) {
  const TemporaryFolder folder;
  ServeOptions chosen = options(folder);
  chosen.opens_browser = chosen.is_insecure = true;
  const WorkspaceServer served(chosen, nothing());
  EXPECT_THAT(served.once_url(), testing::StartsWith("http://127.0.0.1:"));
  EXPECT_NE(served.once_url(), served.url());
}

TEST(WorkspaceServer, RefusesOptionsThatDoNotGoTogether) {
  const TemporaryFolder folder;
  ServeOptions half = options(folder);
  half.certificate = "a.crt";
  EXPECT_THROW(WorkspaceServer(half, nothing()), Error);
  ServeOptions named = options(folder);
  named.host_names = {"evil.com/x"};
  EXPECT_THROW(WorkspaceServer(named, nothing()), Error);
}

}  // namespace
}  // namespace quantlens::server
