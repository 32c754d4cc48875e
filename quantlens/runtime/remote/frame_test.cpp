// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/frame.h"

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens::remote {
namespace {

FrameHeader some_header() {
  return {.type = FrameType::step, .sequence = 0x01020304, .text_bytes = 2, .body_bytes = 3};
}

std::string with(std::string frame, std::size_t at, char value) {
  frame.at(at) = value;
  return frame;
}

Errc refusal(const std::string& frame) {
  try {
    header_from_bytes(std::string_view(frame).substr(0, kHeaderBytes));
    check_sum(std::string_view(frame).substr(0, kHeaderBytes),
              std::string_view(frame).substr(kHeaderBytes));
  } catch (const Error& error) {
    return error.code();
  }
  return Errc::usage;  // it was taken
}

TEST(Frame, HasTheBytesThatTheDocumentGives) {
  // The checksum by Python: zlib.crc32(frame[:28] + b"{}abc").
  const std::string expected(
      "QLWP"
      "\x05\x00"
      "\x04\x00"
      "\x04\x03\x02\x01"
      "\x02\x00\x00\x00"
      "\x03\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00"
      "\x0e\x34\xd5\x64"
      "{}abc",
      kHeaderBytes + 5);
  EXPECT_EQ(frame_bytes(some_header(), "{}", "abc"), expected);
}

TEST(Frame, ReadsBackAsItWas) {
  FrameHeader header = some_header();
  header.in_memory = header.new_memory = true;
  header.body_bytes = std::uint64_t{5} << 32U;
  header.files = 3;
  const FrameHeader read = header_from_bytes(frame_bytes(header, "{}", ""));
  EXPECT_EQ(read.type, header.type);
  EXPECT_EQ(read.sequence, header.sequence);
  EXPECT_EQ(read.text_bytes, header.text_bytes);
  EXPECT_EQ(read.body_bytes, header.body_bytes);
  EXPECT_TRUE(read.in_memory && read.new_memory);
  EXPECT_EQ(read.files, 3);
  EXPECT_EQ(bytes_behind(read), 2u);
  EXPECT_EQ(bytes_behind(some_header()), 5u);
}

TEST(Frame, WithAnyByteChangedIsRefused) {
  const std::string frame = frame_bytes(some_header(), "{}", "abc");
  ASSERT_EQ(refusal(frame), Errc::usage);
  for (std::size_t at = 0; at < frame.size(); ++at) {
    for (const int flip : {1, 2, 16, 128}) {
      const std::string changed = with(frame, at, static_cast<char>(frame[at] ^ flip));
      EXPECT_NE(refusal(changed), Errc::usage) << "byte " << at << " ^ " << flip;
    }
  }
}

TEST(Frame, OfAnotherVersionIsToldApart) {
  EXPECT_EQ(refusal(with(frame_bytes(some_header(), "{}", "abc"), 4, 1)), Errc::unsupported);
}

TEST(Frame, WithSizesBeyondTheLimitsIsRefusedWhateverItsSum) {
  const auto refused = [](const auto& change) {
    FrameHeader header = some_header();
    change(header);
    return refusal(frame_bytes(header, "{}", "abc")) == Errc::bad_input;
  };
  EXPECT_TRUE(refused([](FrameHeader& h) { h.text_bytes = kMostText + 1; }));
  EXPECT_TRUE(refused([](FrameHeader& h) { h.body_bytes = kMostInFrame + 1; }));
  EXPECT_TRUE(refused([](FrameHeader& h) {
    h.in_memory = true;
    h.body_bytes = kMostInMemory + 1;
  }));
  EXPECT_TRUE(refused([](FrameHeader& h) { h.files = kMostFiles + 1; }));
  EXPECT_TRUE(refused([](FrameHeader& h) { h.new_memory = true; }));
  EXPECT_TRUE(refused([](FrameHeader& h) { h.in_memory = h.new_memory = true; })) << "no file";
  EXPECT_TRUE(refused([](FrameHeader& h) { h.type = FrameType{0}; }));
  EXPECT_TRUE(refused([](FrameHeader& h) { h.type = FrameType{30}; }));
  EXPECT_FALSE(refused([](FrameHeader& h) { h.type = kLastFrameType; }));
}

}  // namespace
}  // namespace quantlens::remote
