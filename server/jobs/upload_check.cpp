// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/upload_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "quantlens/base/error.h"
#include "quantlens/base/yaml.h"
#include "server/jobs/fields.h"

namespace quantlens::server {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostName = 200;
constexpr std::string_view kEndings = ".onnx .npz .npy .yaml .yml .json";

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

/// Takes a number as protobuf has it.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  constexpr unsigned kMostBits = 64, kBits = 7;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kMostBits && !bytes.empty(); shift += kBits) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

/// The fields of a message of ONNX that is a model: version and graph, and no more than there are.
std::string problem_of_onnx(std::string_view bytes) {
  constexpr std::uint64_t kVarint = 0, kLength = 2, kVersion = 1, kGraph = 7, kMostField = 100;
  std::string cut = "is no ONNX model, or was cut off";
  bool has_version = false, has_graph = false;
  while (!bytes.empty()) {
    const auto key = take_varint(bytes);
    if (!key) return cut;
    const std::uint64_t field = *key >> 3U, type = *key & 7U;
    if (field == 0 || field > kMostField || (type != kVarint && type != kLength)) return cut;
    const auto value = take_varint(bytes);
    if (!value || (type == kLength && *value > bytes.size())) return cut;
    if (type == kLength) bytes.remove_prefix(*value);
    has_version = has_version || (field == kVersion && type == kVarint);
    has_graph = has_graph || (field == kGraph && type == kLength);
  }
  return has_version && has_graph ? "" : "is no ONNX model: it has no version or no graph";
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
  try {
    return parse_yaml(bytes, "it").is_object() ? "" : "is no document of keys and values";
  } catch (const Error& error) {
    return std::string("is no YAML or JSON document: ") + error.what();
  }
}

}  // namespace

std::string problem_of_upload(std::string_view name, std::string_view bytes) {
  const std::string_view ending = ending_of(name);
  if (bytes.empty()) return "is empty";
  if (ending == ".onnx") return problem_of_onnx(bytes);
  if (ending == ".npz") return problem_of_npz(bytes);
  if (ending == ".npy") return bytes.starts_with("\x93NUMPY"sv) ? "" : "is no .npy array";
  return problem_of_document(bytes);
}

bool is_upload_name(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kMostName && is_word(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_word(c) || c == '.' || c == '-' || c == '_'; }) &&
         has_word(kEndings, ending_of(name));
}

}  // namespace quantlens::server
