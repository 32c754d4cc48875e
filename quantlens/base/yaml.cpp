// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/yaml.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr std::size_t kLargestDocument = 1 << 20;
constexpr int kDeepest = 32;
constexpr std::size_t kMostValues = 100'000;

class Converter {
 public:
  explicit Converter(std::string_view where) : where_(where) {}

  json::Value convert(const YAML::Node& node, int depth) {
    if (depth > kDeepest) fail(node, "nested deeper than 32 levels");
    if (++values_ > kMostValues) fail(node, "holds more than 100,000 values");
    switch (node.Type()) {
      case YAML::NodeType::Map: {
        boost::json::object object;
        for (const auto& entry : node) {
          if (!entry.first.IsScalar()) fail(entry.first, "has a key that is no plain word");
          const std::string key = utf8(entry.first);
          if (object.contains(key)) {
            fail(entry.first, fmt::format("names '{}' twice", printable(key)));
          }
          object[key] = convert(entry.second, depth + 1);
        }
        return object;
      }
      case YAML::NodeType::Sequence: {
        boost::json::array array;
        for (const auto& entry : node) array.push_back(convert(entry, depth + 1));
        return array;
      }
      case YAML::NodeType::Scalar:
        return scalar(node);
      default:
        return nullptr;
    }
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const {
    throw Error(Errc::usage,
                fmt::format("{}: line {}: the document {}", where_, node.Mark().line + 1, what));
  }

  /// A JSON text has no other bytes, and two keys must not become one when it is printed.
  const std::string& utf8(const YAML::Node& node) const {
    if (valid_utf8(node.Scalar()) != node.Scalar()) {
      fail(node, "holds bytes that are no UTF-8; save it in that encoding");
    }
    return node.Scalar();
  }

  json::Value scalar(const YAML::Node& node) const {
    const std::string& text = utf8(node);
    if (node.Tag() == "!") return boost::json::string(text);  // quoted
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    if (text.empty() || text == "null" || text == "~") return nullptr;
    std::int64_t integer = 0;
    const char* end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, integer);
        error == std::errc() && stop == end) {
      return integer;
    }
    double real = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, real);
        error == std::errc() && stop == end && std::isfinite(real)) {
      return real;
    }
    return boost::json::string(text);
  }

  std::string where_;
  std::size_t values_ = 0;
};

}  // namespace

json::Value parse_yaml(std::string_view text, std::string_view where) {
  if (text.size() > kLargestDocument) {
    throw Error(Errc::usage,
                fmt::format("{}: larger than 1 MiB, so hardly a document of settings", where));
  }
  try {
    return Converter(where).convert(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    throw Error(
        Errc::usage,
        fmt::format(
            "{}: line {}: not sound YAML ({}); docs/data.md and docs/recipes.md have examples",
            where, error.mark.line + 1, error.msg));
  }
}

}  // namespace quantlens
