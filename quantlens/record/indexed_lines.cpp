// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/indexed_lines.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/base/json_line.h"

namespace quantlens {
namespace {

constexpr std::size_t kIndexTrailerBytes = 21;
constexpr const char* kCoding = "coding";
constexpr const char* kGzip = "gzip";

}  // namespace

std::string packed_part(std::string_view json) {
  constexpr int kLevel = 6;
  return gzip(json, kLevel);
}

std::string with_index(std::string parts, boost::json::object index) {
  index[kCoding] = kGzip;
  const std::size_t begin = parts.size();
  parts += json::line(std::move(index)) + "\n";
  return parts + fmt::format("{:>{}}\n", begin, kIndexTrailerBytes - 1);
}

std::uint64_t index_begin(std::string_view bytes, std::string_view where) {
  std::string_view trailer =
      bytes.substr(bytes.size() - std::min(bytes.size(), kIndexTrailerBytes));
  trailer.remove_prefix(std::min(trailer.find_first_not_of(' '), trailer.size()));
  std::uint64_t begin = 0;
  const auto [end, error] = std::from_chars(trailer.begin(), trailer.end(), begin);
  if (error != std::errc() || end == trailer.end() || *end != '\n') {
    refuse_file(where, "it has no index, or is cut off");
  }
  return begin;
}

std::string_view line_at(std::string_view bytes, std::uint64_t offset, std::string_view where) {
  const std::size_t end = offset < bytes.size() ? bytes.find('\n', offset) : bytes.npos;
  if (end == bytes.npos) refuse_file(where, "its index points behind its end");
  return bytes.substr(offset, end - offset);
}

bool has_packed_parts(const json::Value& index, std::string_view where) {
  const auto* object = index.if_object();
  const json::Value* coding = object != nullptr ? object->if_contains(kCoding) : nullptr;
  if (coding != nullptr && *coding != kGzip) refuse_file(where, "its index is of another form");
  return coding != nullptr;
}

void refuse_file(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}; run the command again", where, problem));
}

}  // namespace quantlens
