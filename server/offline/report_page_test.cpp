// SPDX-License-Identifier: Apache-2.0
#include "server/offline/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFrame =
    "<title>{{title}}</title><pre>{{summary}}</pre><s>{{style}}</s><c>{{code}}</c><d>{{data}}</d>.";

std::vector<Asset> pages() {
  return {{.path = "index.html", .plain = "of the server"},
          {.path = "report.html", .plain = kFrame, .is_for_reports = true},
          {.path = "report.css", .plain = "css", .gzip = "abc", .is_for_reports = true},
          {.path = "report.js", .plain = "js", .gzip = "defg", .is_for_reports = true}};
}

TEST(ReportPage, HasAllPartsInThePlacesOfItsTemplate) {
  EXPECT_EQ(report_page(pages(), {.title = "net", .summary = "all well", .data = "ZGF0YQ=="}),
            "<title>net</title><pre>all well</pre><s>YWJj</s><c>ZGVmZw==</c><d>ZGF0YQ==</d>.");
}

TEST(ReportPage, TakesTextForTextAndNotForAPlace) {
  const std::string page =
      report_page(pages(), {.title = "<script>\"&", .summary = "{{data}} {{title}}", .data = "x"});
  EXPECT_THAT(page, HasSubstr("<title>&lt;script&gt;&quot;&amp;</title>"));
  EXPECT_THAT(page, HasSubstr("<pre>{{data}} {{title}}</pre>"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
}

TEST(ReportPage, NeedsAProgramWithItsPages) {
  try {
    report_page({{.path = "index.html", .plain = "a plain list"}}, {});
    FAIL() << "no page was missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_THAT(error.what(), HasSubstr(".md"));
  }
}

}  // namespace
}  // namespace quantlens::server
