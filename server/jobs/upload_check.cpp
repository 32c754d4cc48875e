// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/upload_check.h"

#include <algorithm>
#include <cstdint>

#include "quantlens/base/error.h"
#include "quantlens/base/yaml.h"
#include "quantlens/frontend/frontend.h"
#include "server/jobs/fields.h"

namespace quantlens::server {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostNameBytes = 200;
constexpr std::string_view kEndings = ".onnx .npz .npy .yaml .yml .json";

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

std::string problem_of_onnx(const fs::path& path) {
  try {
    frontend::named_in(path);
    return "";
  } catch (const Error&) {
    return "is no ONNX model, or was cut off";
  }
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// A zip archive: its list of files stands at its end, and lies inside.
std::string problem_of_npz(std::string_view bytes) {
  constexpr std::size_t kEnd = 22, kMostComment = 65535, kListBytes = 12, kListAt = 16;
  constexpr std::uint32_t kIn64Bits = 0xFFFFFFFF;
  std::string no_archive = "is no .npz archive, or was cut off";
  if (!bytes.starts_with("PK\x03\x04"sv) || bytes.size() < kEnd) return no_archive;
  const std::size_t tail = bytes.size() - std::min(bytes.size(), kEnd + kMostComment);
  const std::size_t end = bytes.rfind("PK\x05\x06"sv);
  if (end == std::string_view::npos || end < tail || bytes.size() - end < kEnd) return no_archive;
  const std::uint32_t size = little_endian(bytes.substr(end + kListBytes));
  const std::uint32_t at = little_endian(bytes.substr(end + kListAt));
  if (size == kIn64Bits || at == kIn64Bits) return "";  // its place is told in 64 bits elsewhere
  const bool is_inside = std::uint64_t{at} + size <= end;
  return is_inside && bytes.substr(at).starts_with("PK\x01\x02"sv) ? "" : no_archive;
}

std::string problem_of_document(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  if (bytes.size() > kMost) return "is longer than 1 MB, which no document of data or recipes is";
  try {
    return parse_yaml(bytes, "it").is_object() ? "" : "is no document of keys and values";
  } catch (const Error& error) {
    return std::string("is no YAML or JSON document: ") + error.what();
  }
}

}  // namespace

std::string problem_of_upload(std::string_view name, const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  const std::string_view bytes = file.text();
  const std::string_view ending = ending_of(name);
  if (bytes.empty()) return "is empty";
  if (ending == ".onnx") return problem_of_onnx(path);
  if (ending == ".npz") return problem_of_npz(bytes);
  if (ending == ".npy") return bytes.starts_with("\x93NUMPY"sv) ? "" : "is no .npy array";
  return problem_of_document(bytes);
}

bool is_upload_name(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kMostNameBytes && is_word(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_word(c) || c == '.' || c == '-' || c == '_'; }) &&
         has_word(kEndings, ending_of(name));
}

}  // namespace quantlens::server
