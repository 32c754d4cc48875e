// SPDX-License-Identifier: Apache-2.0
// For tests only.
#pragma once

#include <string>
#include <string_view>

namespace quantlens::server {

/// A field of a message, by a number below 16, with less than 128 bytes in it.
inline std::string short_field(unsigned number, std::string_view contents) {
  std::string bytes{static_cast<char>(number << 3U | 2U), static_cast<char>(contents.size())};
  return bytes += contents;
}

/// The bytes of an ONNX model whose graph is empty, but for a weight in the file `location`, where
/// there is one.
inline std::string small_onnx(std::string_view location = "") {
  constexpr unsigned kGraph = 7, kInitializer = 5, kExternalData = 13;
  std::string graph = short_field(2, "g");
  if (!location.empty()) {
    const std::string entry = short_field(1, "location") + short_field(2, location);
    graph += short_field(kInitializer, short_field(kExternalData, entry));
  }
  return "\x08\x08" + short_field(kGraph, graph);
}

}  // namespace quantlens::server
