// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/frame.h"

#include <boost/crc.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::remote {
namespace {

constexpr std::string_view kMagic = "QLWP";
constexpr std::size_t kSummed = kHeaderBytes - 4;  // of the header: the sum itself is its end
constexpr unsigned kInMemory = 1, kNewMemory = 2;

template <class T>
void append(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<char>(std::uint64_t{value} >> (8 * i) & 0xFFU));
  }
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return static_cast<T>(value);
}

std::uint32_t sum_of(std::string_view header, std::string_view first, std::string_view second) {
  boost::crc_32_type sum;
  sum.process_bytes(header.data(), kSummed);
  sum.process_bytes(first.data(), first.size());
  sum.process_bytes(second.data(), second.size());
  return sum.checksum();
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(Errc::bad_input, problem);
}

void check_sizes(const FrameHeader& header) {
  if (header.text_bytes > kMostText) {
    refuse(fmt::format("it announces a text of {}", human_bytes(header.text_bytes)));
  }
  if (header.body_bytes > (header.in_memory ? kMostInMemory : kMostInFrame)) {
    refuse(fmt::format("it announces a body of {}", human_bytes(header.body_bytes)));
  }
  if (header.files > kMostFiles || (header.new_memory && header.files == 0)) {
    refuse(fmt::format("it announces {} files", header.files));
  }
}

}  // namespace

std::string frame_bytes(const FrameHeader& header, std::string_view text, std::string_view body) {
  std::string out;
  out.reserve(kHeaderBytes + text.size() + body.size());
  out += kMagic;
  append(out, kProtocolVersion);
  append(out, static_cast<std::uint16_t>(header.type));
  append(out, header.sequence);
  append(out, header.text_bytes);
  append(out, header.body_bytes);
  append(out, static_cast<std::uint8_t>((header.in_memory ? kInMemory : 0U) |
                                        (header.new_memory ? kNewMemory : 0U)));
  append(out, header.files);
  append(out, std::uint16_t{0});
  append(out, sum_of(out, text, body));
  out += text;
  out += body;
  return out;
}

FrameHeader header_from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    refuse(fmt::format("it begins with '{}', not with {}", printable(bytes.substr(0, 4)), kMagic));
  }
  if (const auto version = number_at<std::uint16_t>(bytes, 4); version != kProtocolVersion) {
    throw Error(Errc::unsupported,
                fmt::format("it is of version {} of the protocol, and this is {}", version,
                            kProtocolVersion));
  }
  const auto type = number_at<std::uint16_t>(bytes, 6);
  const auto flags = number_at<std::uint8_t>(bytes, 24);
  const FrameHeader header{.type = static_cast<FrameType>(type),
                           .sequence = number_at<std::uint32_t>(bytes, 8),
                           .text_bytes = number_at<std::uint32_t>(bytes, 12),
                           .body_bytes = number_at<std::uint64_t>(bytes, 16),
                           .in_memory = (flags & kInMemory) != 0,
                           .new_memory = (flags & kNewMemory) != 0,
                           .files = number_at<std::uint8_t>(bytes, 25)};
  if (type < static_cast<std::uint16_t>(FrameType::hello) ||
      type > static_cast<std::uint16_t>(kLastFrameType)) {
    refuse(fmt::format("it is of type {}, which there is not", type));
  }
  const bool odd = (header.new_memory && !header.in_memory) || flags > (kInMemory | kNewMemory) ||
                   number_at<std::uint16_t>(bytes, 26) != 0;
  if (odd) refuse("it has flags that there are not");
  check_sizes(header);
  return header;
}

std::uint64_t bytes_behind(const FrameHeader& header) {
  return header.text_bytes + (header.in_memory ? 0 : header.body_bytes);
}

void check_sum(std::string_view header, std::string_view rest) {
  if (sum_of(header, rest, {}) != number_at<std::uint32_t>(header, kSummed)) {
    refuse("its checksum is wrong");
  }
}

}  // namespace quantlens::remote
