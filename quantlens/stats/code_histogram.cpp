// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "quantlens/stats/bytes.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/kernels_plain.h"
#include "quantlens/stats/moments_of.h"

namespace quantlens {

namespace {

void add_codes(std::span<const std::uint8_t> codes, std::uint8_t flip, CodeHistogram& to) {
  constexpr std::size_t kSmall = 512;  // not worth the tables
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (codes.size() < kSmall) {
    for (const std::uint8_t code : codes) ++to.counts[static_cast<std::size_t>(code ^ flip)];
    return;
  }
  for (std::size_t at = 0; at < codes.size(); at += kMost) {
    CodeCounters counters;
    plain::count_codes(codes.subspan(at, std::min(kMost, codes.size() - at)), counters);
    to.add(counters, flip);
  }
}

constexpr std::uint8_t kOfUint8 = CodeHistogram::flip<std::uint8_t>();
constexpr std::uint8_t kOfInt8 = CodeHistogram::flip<std::int8_t>();

}  // namespace

void CodeHistogram::add(const CodeCounters& counters, std::uint8_t flip) {
  const auto& tables = counters.tables;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    counts[code ^ flip] +=
        std::uint64_t{tables[0][code]} + tables[1][code] + tables[2][code] + tables[3][code];
  }
}

void CodeHistogram::add(std::span<const std::uint8_t> codes) {
  add_codes(codes, kOfUint8, *this);
}

void CodeHistogram::add(std::span<const std::int8_t> codes) {
  add_codes(plain::bytes_of(codes), kOfInt8, *this);
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
