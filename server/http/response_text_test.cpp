// SPDX-License-Identifier: Apache-2.0
#include "server/http/response_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quantlens::server {
namespace {

using testing::HasSubstr;
using testing::Not;

HeadOptions options() {
  return {.keep_alive = true, .now = std::chrono::system_clock::from_time_t(784111777)};
}

TEST(ResponseText, HasStatusDateLengthAndType) {
  const std::string text = head_text(text_response(404, "No."), options());
  EXPECT_TRUE(text.starts_with("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nContent-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_TRUE(text.ends_with("\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(ResponseText, HasTheSecurityHeadersWhateverIsAnswered) {
  for (const unsigned status : {200U, 204U, 303U, 304U, 400U, 403U, 500U}) {
    const std::string text = head_text({.status = status}, options());
    for (const char* line :
         {"Content-Security-Policy: default-src 'self'", "frame-ancestors 'none'",
          "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff",
          "Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin",
          "Cross-Origin-Resource-Policy: same-origin"})
      EXPECT_THAT(text, HasSubstr(line)) << status;
    EXPECT_THAT(text, Not(HasSubstr("Access-Control"))) << status;
    EXPECT_THAT(text, Not(HasSubstr("unsafe-inline"))) << status;
  }
}

TEST(ResponseText, LetsNobodyStoreAnswersOfTheApi) {
  HeadOptions api = options();
  api.is_api = true;
  EXPECT_THAT(head_text(json_response("{}"), api), HasSubstr("Cache-Control: no-store"));
  Response own = json_response("{}");
  own.headers.emplace_back("cache-control", "private, no-cache");
  EXPECT_THAT(head_text(own, api), Not(HasSubstr("no-store")));
}

TEST(ResponseText, KeepsAHeaderOnItsLine) {
  Response response{.status = 303};
  response.headers.emplace_back("Location", "/\r\nSet-Cookie: a=b\r\n\r\n<html>");
  EXPECT_THAT(head_text(response, options()),
              HasSubstr("Location: /  Set-Cookie: a=b    <html>\r\n"));
}

TEST(ResponseText, HasNoLengthWhereThereIsNoBody) {
  EXPECT_THAT(head_text({.status = 304}, options()), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(head_text({.status = 303}, options()), HasSubstr("Content-Length: 0"));
  Response events;
  events.events = std::make_shared<Subscription>();
  EXPECT_THAT(head_text(events, options()), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(head_text(events, options()), HasSubstr("Content-Type: text/event-stream"));
}

}  // namespace
}  // namespace quantlens::server
