// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

using Counts = std::array<std::uint64_t, 256>;

// Equal codes often follow each other, and each addition to a counter waits for the last one to the
// same: eight codes in turn go to four tables.
void add_block(const std::uint8_t* codes, std::size_t size, std::uint8_t flip, Counts& counts) {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, codes + i, sizeof eight);
    ++tables[0][eight & 0xff];
    ++tables[1][eight >> 8 & 0xff];
    ++tables[2][eight >> 16 & 0xff];
    ++tables[3][eight >> 24 & 0xff];
    ++tables[0][eight >> 32 & 0xff];
    ++tables[1][eight >> 40 & 0xff];
    ++tables[2][eight >> 48 & 0xff];
    ++tables[3][eight >> 56];
  }
  for (; i < size; ++i) ++tables[0][codes[i]];
  for (std::size_t code = 0; code < counts.size(); ++code) {
    counts[code ^ flip] +=
        std::uint64_t{tables[0][code]} + tables[1][code] + tables[2][code] + tables[3][code];
  }
}

void add_codes(const std::uint8_t* codes, std::size_t size, std::uint8_t flip, Counts& counts) {
  constexpr std::size_t kSmall = 512;  // not worth the tables
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (size < kSmall) {
    for (std::size_t i = 0; i < size; ++i) ++counts[static_cast<std::size_t>(codes[i] ^ flip)];
    return;
  }
  for (std::size_t at = 0; at < size; at += kMost) {
    add_block(codes + at, std::min(kMost, size - at), flip, counts);
  }
}

}  // namespace

void CodeHistogram::add(std::span<const std::uint8_t> codes) {
  add_codes(codes.data(), codes.size(), 0, counts);
}

void CodeHistogram::add(std::span<const std::int8_t> codes) {
  // int8 code c in two's complement, with its top bit flipped, is c + 128.
  add_codes(reinterpret_cast<const std::uint8_t*>(codes.data()), codes.size(), 0x80, counts);
}

void CodeHistogram::merge(const CodeHistogram& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
}

std::uint64_t CodeHistogram::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void CodeHistogram::append_to(std::string& out) const {
  const bool any = count() != 0;
  append_u8(out, any ? 1 : 0);
  if (!any) return;
  for (const std::uint64_t bin : counts) append_varint(out, bin);
}

CodeHistogram CodeHistogram::take_from(std::string_view& in) {
  CodeHistogram histogram;
  const std::uint8_t any = take_u8(in);
  if (any == 0) return histogram;
  for (std::uint64_t& bin : histogram.counts) bin = take_element_count(in);
  if (any != 1 || histogram.count() == 0) refuse_bytes("a histogram of codes is empty");
  return histogram;
}

}  // namespace quantlens
