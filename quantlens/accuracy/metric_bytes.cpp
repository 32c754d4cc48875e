// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric_bytes.h"

namespace quantlens {

void append_i64(std::string& out, std::int64_t value) {
  append_u64(out, static_cast<std::uint64_t>(value));
}

std::int64_t take_i64(std::string_view& in) {
  return static_cast<std::int64_t>(take_u64(in));
}

std::uint64_t take_tally(std::string_view& in) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48U;
  const std::uint64_t tally = take_varint(in);
  if (tally > kMost) refuse_bytes("a count is too large");
  return tally;
}

void refuse_rest(std::string_view in) {
  if (!in.empty()) refuse_bytes("something follows the state of a metric");
}

}  // namespace quantlens
