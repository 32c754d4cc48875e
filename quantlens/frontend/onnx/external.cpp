// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

std::uint64_t read_number(const fs::path& path, std::string_view key, std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    unsound(path, fmt::format("the {} '{}' of external data is no number", key, printable(text)));
  }
  return value;
}

/// Whether `location`, seen from the model's folder, stays in it as written.
bool stays_inside(const std::string& location) {
  const fs::path relative(location);
  return !location.empty() && location.find('\0') == std::string::npos && relative.is_relative() &&
         std::ranges::none_of(relative, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

std::pair<std::string_view, std::string_view> read_entry(std::string_view message) {
  std::pair<std::string_view, std::string_view> entry;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(StringStringEntryProto::key)) entry.first = field.payload;
    if (field.key == bytes_key(StringStringEntryProto::value)) entry.second = field.payload;
  }
  return entry;
}

External read_external(const fs::path& path, std::span<const Field> entries) {
  External external;
  for (const Field& field : entries) {
    const auto [key, value] = read_entry(field.payload);
    if (key == "location") external.location = value;
    if (key == "offset") external.offset = read_number(path, key, value);
    if (key == "length") external.length = read_number(path, key, value);
  }
  return external;
}

const MappedFile& file_beside(Source& source, const std::string& location) {
  if (const auto found = source.beside.find(location); found != source.beside.end()) {
    return found->second;
  }
  if (!stays_inside(location)) {
    unsound(source.path, fmt::format("its external data '{}' are outside the model's folder",
                                     printable(location)));
  }
  const fs::path folder = source.path.has_parent_path() ? source.path.parent_path() : ".";
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path real = error ? fs::path() : fs::canonical(folder / location, error);
  if (error) {
    throw Error(Errc::not_found,
                fmt::format("{}: its external data '{}' cannot be found: {}; copy that file beside "
                            "the model",
                            printable(source.path.string()), printable(location), error.message()));
  }
  if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: its external data '{}' are a link that leaves the model's folder; "
                            "copy the file itself there",
                            printable(source.path.string()), printable(location)));
  }
  return source.beside.emplace(location, MappedFile::open(real)).first->second;
}

}  // namespace quantlens::onnx
