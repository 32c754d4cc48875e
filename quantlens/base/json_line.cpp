// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/json_line.h"

#include <cstdint>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "quantlens/base/code_points.h"
#include "quantlens/base/text.h"

namespace quantlens::json {

std::string line(const Value& value) {
  const std::string text = valid_utf8(boost::json::serialize(value));
  std::string shown;
  shown.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = *take_code_point(rest);
    if (is_escaped(c)) {
      shown += escape_of(c);  // it is in a string: nothing else has such characters
    } else {
      shown += before.substr(0, before.size() - rest.size());
    }
  }
  return shown;
}

bool is_escaped(char32_t c) {
  constexpr char32_t kLast = 0xFFFF;
  return c <= kLast && is_unprintable(c);
}

std::string escape_of(char32_t c) {
  return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
}

}  // namespace quantlens::json
