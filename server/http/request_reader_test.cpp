// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/part_file.h"

namespace quantlens::server {
namespace {

using State = RequestReader::State;

constexpr std::size_t kHead = 1024;
constexpr std::uint64_t kBody = 100;

/// What becomes of the bytes, fed in pieces of this size.
struct Outcome {
  unsigned status = 0;  ///< 0: read
  bool is_done = false;
  Request request;
  std::string left;
  bool keep_alive = false;
};

Outcome read(std::string_view bytes, std::size_t piece = 1 << 20) {
  RequestReader reader(kHead);
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (reader.state() == State::head_read) reader.read_body(kBody);
    if (reader.state() == State::done || reader.state() == State::refused) break;
    at += reader.feed(bytes.substr(at, piece));
  }
  if (reader.state() == State::head_read) reader.read_body(kBody);
  Outcome outcome;
  if (reader.state() == State::refused) outcome.status = reader.refusal().status;
  outcome.is_done = reader.state() == State::done;
  outcome.request = reader.request();
  outcome.left = std::string(bytes.substr(at));
  outcome.keep_alive = reader.keep_alive();
  return outcome;
}

/// Of a body that goes to a file, in pieces of this size.
std::string kept_in_file(std::string_view bytes, std::size_t piece, std::uint64_t most = kBody) {
  TemporaryFolder folder;
  RequestReader reader(kHead);
  std::size_t at = 0;
  while (at < bytes.size() && reader.state() != State::refused) {
    if (reader.state() == State::head_read)
      reader.read_body(most, std::make_shared<PartFile>(folder.path() / "kept"));
    at += reader.feed(bytes.substr(at, piece));
  }
  if (reader.state() != State::done) return std::to_string(reader.refusal().status);
  EXPECT_EQ(reader.request().body, "");
  return std::string(MappedFile::open(reader.request().file->name()).text());
}

/// The status that a head with these lines is refused with; 0: it is read.
unsigned refused(std::string_view lines, std::string_view body = "") {
  return read(fmt::format("POST /x HTTP/1.1\r\nHost: a\r\n{}\r\n{}", lines, body)).status;
}

TEST(RequestReader, ReadsHoweverTheBytesAreCut) {
  constexpr std::string_view kText =
      "POST /a%20b?c=d HTTP/1.1\r\nHost: localhost\r\nX-Thing:  v \r\nContent-Length: 5\r\n\r\n"
      "helloGET /";
  for (std::size_t piece = 1; piece < kText.size() + 1; ++piece) {
    const Outcome outcome = read(kText, piece);
    ASSERT_TRUE(outcome.is_done) << piece;
    EXPECT_EQ(outcome.request.method, "POST");
    EXPECT_EQ(outcome.request.path, "/a b");
    EXPECT_EQ(query_of(outcome.request, "c"), "d");
    EXPECT_EQ(header_of(outcome.request, "x-thing"), "v");
    EXPECT_EQ(outcome.request.body, "hello");
    EXPECT_EQ(outcome.left, "GET /") << piece;
    EXPECT_TRUE(outcome.keep_alive);
  }
}

TEST(RequestReader, ReadsChunksHoweverTheyAreCut) {
  constexpr std::string_view kText =
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0a;x=\"y\"\r\n0123456789\r\n0\r\nAuthorization: Bearer x\r\n\r\nrest";
  for (std::size_t piece = 1; piece < kText.size() + 1; ++piece) {
    const Outcome outcome = read(kText, piece);
    ASSERT_TRUE(outcome.is_done) << piece;
    EXPECT_EQ(outcome.request.body, "abc0123456789");
    EXPECT_EQ(outcome.left, "rest") << piece;
    EXPECT_FALSE(header_of(outcome.request, "authorization")) << "a field after the body is none";
  }
}

TEST(RequestReader, ReadsABodyWithoutAChunk) {
  constexpr std::string_view kText =
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nrest";
  for (std::size_t piece = 1; piece < kText.size() + 1; ++piece) {
    const Outcome outcome = read(kText, piece);
    ASSERT_TRUE(outcome.is_done) << piece;
    EXPECT_EQ(outcome.left, "rest") << piece;
  }
}

TEST(RequestReader, RefusesWhatTwoReadersReadDifferently) {
  EXPECT_EQ(refused("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), 400U);
  EXPECT_EQ(refused("Content-Length: 1\r\nContent-Length: 2\r\n"), 400U);
  EXPECT_EQ(refused("Content-Length: 1\r\nContent-Length: 1\r\n", "x"), 400U);
  EXPECT_EQ(refused("Content-Length: 1, 1\r\n", "x"), 400U);
  for (const char* length : {"+1", "-1", "0x1", "1 1", "", "1e1", "99999999999999999999", "１"})
    EXPECT_EQ(refused(fmt::format("Content-Length: {}\r\n", length), "x"), 400U) << length;
  for (const char* coding : {"gzip, chunked", "chunked, gzip", "xchunked", "identity", "",
                             "chunked, chunked", "\"chunked\"", "chunked;q=1"})
    EXPECT_EQ(refused(fmt::format("Transfer-Encoding: {}\r\n", coding), "0\r\n\r\n"), 400U)
        << coding;
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused("Transfer-Encoding : chunked\r\n"), 400U);
  EXPECT_EQ(refused(" Transfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused("X: a\r\n b\r\n"), 400U) << "a line that goes on";
  EXPECT_EQ(refused("X: a\nY: b\r\n"), 400U);
  EXPECT_EQ(refused("X: a\rb\r\n"), 400U);
  EXPECT_EQ(refused(std::string_view("X: a\0b\r\n", 8)), 400U);
  EXPECT_EQ(refused("Host: b\r\n"), 400U);
  EXPECT_EQ(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status, 400U);
}

TEST(RequestReader, PutsABodyIntoAFile) {
  constexpr std::string_view kHeadText = "PUT / HTTP/1.1\r\nHost: a\r\n";
  const std::string whole = fmt::format("{}Content-Length: 5\r\n\r\nhello", kHeadText);
  const std::string chunks = fmt::format(
      "{}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", kHeadText);
  for (const std::size_t piece : {1, 2, 7, 1000}) {
    EXPECT_EQ(kept_in_file(whole, piece), "hello") << piece;
    EXPECT_EQ(kept_in_file(chunks, piece), "hello") << piece;
    EXPECT_EQ(kept_in_file(whole, piece, 4), "413") << piece;
    EXPECT_EQ(kept_in_file(chunks, piece, 4), "413") << piece;
  }
}

TEST(RequestReader, RefusesChunksThatAreNone) {
  for (const char* body :
       {"x\r\n", "-1\r\n", "0x1\r\na\r\n0\r\n\r\n", "ffffffffffffffffff\r\n",
        "1\r\nab\r\n0\r\n\r\n", "1\na\n0\r\n\r\n", "1\r\na0\r\n\r\n", "\r\n\r\n", " 1\r\na\r\n"})
    EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", body + std::string("0\r\n\r\n")), 400U)
        << body;
  const std::string endless = "1;" + std::string(5000, 'x');
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", endless), 400U);
}

TEST(RequestReader, RefusesMalformedHeads) {
  for (const char* text :
       {"\r\n\r\n\r\n", "GET\r\n\r\n", "GET / \r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / http/1.1\r\n\r\n", "G\x01T / HTTP/1.1\r\n\r\n", "\x16\x03\x01\r\n\r\n",
        "GET /\tHTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    const unsigned status = read(text).status;
    EXPECT_TRUE(status == 400 || status == 505) << text << status;
  }
}

TEST(RequestReader, AnswersOnlySevenMethods) {
  for (const std::string_view method : kMethods)
    EXPECT_TRUE(read(fmt::format("{} / HTTP/1.1\r\nHost: a\r\n\r\n", method)).is_done) << method;
  for (const char* method : {"TRACE", "CONNECT", "get", "PROPFIND", "QUERY"})
    EXPECT_EQ(read(fmt::format("{} / HTTP/1.1\r\nHost: a\r\n\r\n", method)).status, 405U) << method;
}

TEST(RequestReader, BoundsTheHead) {
  const std::string fits(kHead - 60, 'x');
  EXPECT_EQ(refused(fmt::format("X: {}\r\n", fits)), 0U);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20}) {
    const std::string text =
        fmt::format("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", std::string(kHead, 'x'));
    EXPECT_EQ(read(text, piece).status, 431U) << piece;
    EXPECT_EQ(read(std::string(3 * kHead, 'x'), piece).status, 431U) << piece;
  }
  std::string many;
  for (int i = 0; i < 101; ++i) many += "a:b\r\n";
  EXPECT_EQ(refused(many), 431U);
}

TEST(RequestReader, BoundsTheBody) {
  EXPECT_EQ(refused("Content-Length: 100\r\n", std::string(100, 'x')), 0U);
  EXPECT_EQ(refused("Content-Length: 101\r\n"), 413U) << "before a byte of it is read";
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", "65\r\n" + std::string(101, 'x')), 413U);
  std::string chunks;
  for (int i = 0; i < 101; ++i) chunks += "1\r\nx\r\n";
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\n", chunks), 413U);
}

TEST(RequestReader, KeepsTheConnectionAsAsked) {
  EXPECT_TRUE(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n").keep_alive);
  EXPECT_FALSE(read("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").keep_alive);
  EXPECT_FALSE(read("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

TEST(RequestReader, SaysThatTheClientWaits) {
  RequestReader reader(kHead);
  reader.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  ASSERT_EQ(reader.state(), State::head_read);
  EXPECT_TRUE(reader.expects_continue());
  EXPECT_EQ(refused("Expect: the unexpected\r\n"), 417U);
}

TEST(RequestReader, SkipsAnEmptyLineBetweenRequests) {
  EXPECT_TRUE(read("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").is_done);
  EXPECT_TRUE(read("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 1).is_done);
}

}  // namespace
}  // namespace quantlens::server
