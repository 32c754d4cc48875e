// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/shapes.h"

#include <algorithm>

#include "quantlens/profiling/import/cursor.h"
#include "quantlens/profiling/import/events.h"

namespace quantlens::imports {
namespace {

constexpr std::size_t kMostTensors = 64;
constexpr std::size_t kMostText = 256;

std::string tensor(std::string_view type, std::string_view shape) {
  std::string text = decoded(type.substr(0, kMostText));
  if (type == "float") text = "float32";
  if (type == "double") text = "float64";
  for (const char c : decoded(shape.substr(0, kMostText))) {
    if (static_cast<unsigned char>(c) > ' ') text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> types_and_shapes(std::string_view json) {
  std::vector<std::string> tensors;
  Cursor cursor(json);
  if (!cursor.eat('[')) return tensors;
  while (tensors.size() < kMostTensors && cursor.eat('{')) {
    const auto type = cursor.string();
    if (!type) {
      tensors.emplace_back();
    } else if (const auto shape = cursor.eat(':') ? cursor.value() : std::nullopt) {
      tensors.push_back(tensor(*type, *shape));
    } else {
      break;
    }
    if (!cursor.eat('}') || !cursor.eat(',')) break;
  }
  return tensors;
}

}  // namespace quantlens::imports
