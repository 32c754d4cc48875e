// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric_bytes.h"

#include <optional>

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

void take_classes(std::string_view& in, std::size_t least_bytes,
                  const std::function<void(std::int64_t number)>& take) {
  std::optional<std::int64_t> before;
  for (std::size_t left = take_count(in, sizeof(std::int64_t) + least_bytes); left > 0; --left) {
    const std::int64_t number = take_i64(in);
    if (before && number <= *before) refuse_bytes("classes are out of order");
    before = number;
    take(number);
  }
}

void refuse_rest(std::string_view in) {
  if (!in.empty()) refuse_bytes("something follows the state of a metric");
}

}  // namespace quantlens
