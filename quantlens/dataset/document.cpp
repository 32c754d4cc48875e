// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/document.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

// Values are read only where a key says what they are, one or two levels down, so neither depth nor
// aliases that refer to themselves cost anything.

namespace quantlens {
namespace {

constexpr std::size_t kMostValues = 1000;  // of a list, or of a map with free keys

/// One value of the document and how to speak of it: "val.yaml:3: images.crop".
class Value {
 public:
  Value(YAML::Node node, std::string_view where, std::string key)
      : node_(std::move(node)), where_(where), key_(std::move(key)) {}

  [[noreturn]] void fail(std::string_view problem) const {
    const YAML::Mark mark = node_.Mark();
    throw Error(Errc::usage,
                fmt::format("{}:{}: {}{}{}", printable(where_), mark.is_null() ? 1 : mark.line + 1,
                            printable(key_), key_.empty() ? "" : ": ", problem));
  }

  /// Checks that this is a map of these keys only, each once.
  void check_keys(const std::vector<std::string>& known) const {
    std::vector<std::string> seen;
    for (const auto& [key, value] : members()) {
      if (std::ranges::find(known, key) == known.end()) {
        const std::string hint = did_you_mean(key, known);
        fail(fmt::format("unknown key '{}'; {}", printable(key),
                         hint.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : hint));
      }
      if (std::ranges::find(seen, key) != seen.end()) {
        fail(fmt::format("the key '{}' stands twice; keep one", printable(key)));
      }
      seen.push_back(key);
    }
  }

  /// REQUIRES: check_keys has passed.
  std::optional<Value> get(const std::string& key) const {
    for (const auto& [name, value] : members()) {
      if (name == key) return value;
    }
    return std::nullopt;
  }

  std::vector<std::pair<std::string, Value>> members() const {
    if (!node_.IsMap()) fail("must be a map of keys, as {key: value}");
    if (node_.size() > kMostValues) fail("has too many keys");
    std::vector<std::pair<std::string, Value>> result;
    for (const auto& member : node_) {
      if (!member.first.IsScalar()) fail("has a key that is no text");
      const std::string& name = member.first.Scalar();
      result.emplace_back(name,
                          Value(member.second, where_, key_.empty() ? name : key_ + "." + name));
    }
    return result;
  }

  bool is_list() const { return node_.IsSequence(); }

  std::vector<Value> items() const {
    if (!node_.IsSequence()) return {*this};
    if (node_.size() > kMostValues) fail("has too many values");
    std::vector<Value> result;
    for (const YAML::Node& item : node_) result.emplace_back(item, where_, key_);
    return result;
  }

  std::string text() const {
    if (!node_.IsScalar() || node_.Scalar().empty()) fail("must be a text");
    return node_.Scalar();
  }

  template <class T>
  T number(T least, T most) const {
    const std::string word = node_.IsScalar() ? node_.Scalar() : "";
    T value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    if (!whole || !(value >= least && value <= most)) {
      fail(fmt::format("must be a number from {} to {}, not '{}'", least, most,
                       node_.IsScalar() ? printable(word) : "..."));
    }
    return value;
  }

  std::uint64_t count() const {
    return number<std::uint64_t>(1, std::numeric_limits<std::int64_t>::max());
  }

  std::vector<double> numbers() const {
    constexpr double kMost = std::numeric_limits<double>::max();
    std::vector<double> result;
    for (const Value& item : items()) result.push_back(item.number<double>(-kMost, kMost));
    return result;
  }

  /// One of the words, as its index.
  std::size_t choice(const std::vector<std::string>& words) const {
    const auto found = std::ranges::find(words, text());
    if (found == words.end()) {
      fail(fmt::format("must be one of {}, not '{}'", fmt::join(words, ", "), printable(text())));
    }
    return static_cast<std::size_t>(found - words.begin());
  }

 private:
  YAML::Node node_;
  std::string_view where_;
  std::string key_;
};

constexpr int kLongestSide = 1'000'000;

/// 224, or [height, width].
ImageSize read_size(const Value& value) {
  const std::vector<Value> sides = value.items();
  if (sides.empty() || sides.size() > 2) value.fail("must be one number, or [height, width]");
  return {.height = sides.front().number<int>(1, kLongestSide),
          .width = sides.back().number<int>(1, kLongestSide)};
}

Value required(const Value& section, const std::string& key) {
  const std::optional<Value> value = section.get(key);
  if (!value) section.fail(fmt::format("the key '{}' is missing", key));
  return *value;
}

std::string text_or_nothing(const Value& section, const std::string& key) {
  const std::optional<Value> value = section.get(key);
  return value ? value->text() : "";
}

ImagesSource read_images(const Value& section) {
  section.check_keys({"folder", "labels", "resize_short", "resize", "crop", "color", "mean", "std",
                      "layout", "dtype"});
  ImagesSource source{.folder = required(section, "folder").text(),
                      .labels = text_or_nothing(section, "labels"),
                      .steps = {}};
  ImageSteps& steps = source.steps;
  if (const auto value = section.get("resize_short")) {
    steps.resize_short = value->number<int>(1, kLongestSide);
  }
  if (const auto value = section.get("resize")) steps.resize = read_size(*value);
  if (const auto value = section.get("crop")) steps.crop = read_size(*value);
  if (const auto value = section.get("mean")) steps.mean = value->numbers();
  if (const auto value = section.get("std")) steps.std = value->numbers();
  if (const auto value = section.get("color")) {
    constexpr ColorOrder kColors[] = {ColorOrder::rgb, ColorOrder::bgr, ColorOrder::gray};
    steps.color = kColors[value->choice({"rgb", "bgr", "gray"})];
  }
  if (const auto value = section.get("layout")) {
    constexpr PixelLayout kLayouts[] = {PixelLayout::nchw, PixelLayout::nhwc};
    steps.layout = kLayouts[value->choice({"nchw", "nhwc"})];
  }
  if (const auto value = section.get("dtype")) {
    steps.dtype = dtype_from_name(value->text());
    if (!steps.dtype) value->fail("must be an element type, as float32 or uint8");
  }
  return source;
}

NpzSource read_npz(const Value& section) {
  section.check_keys({"file", "inputs", "label"});
  NpzSource source{.file = required(section, "file").text(), .roles = {}};
  if (const auto inputs = section.get("inputs")) {
    for (const auto& [input, array] : inputs->members()) {
      if (!source.roles.inputs.emplace(input, array.text()).second) {
        array.fail("stands twice; keep one");
      }
    }
  }
  if (const auto label = section.get("label")) source.roles.label = label->text();
  return source;
}

NpySource read_npy_section(const Value& section) {
  section.check_keys({"file", "labels"});
  return {.file = required(section, "file").text(), .labels = text_or_nothing(section, "labels")};
}

RandomSource read_random(const Value& section) {
  section.check_keys({"count", "seed", "shapes"});
  RandomSource source;
  if (const auto count = section.get("count")) source.count = count->count();
  if (const auto seed = section.get("seed")) {
    source.seed = seed->number<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
  }
  if (const auto shapes = section.get("shapes")) {
    for (const auto& [input, extents] : shapes->members()) {
      Shape& shape = source.shapes[input];
      if (!extents.is_list()) extents.fail("must be a list of extents, as [128]");
      for (const Value& extent : extents.items()) {
        shape.push_back(extent.number<std::int64_t>(0, std::numeric_limits<std::int32_t>::max()));
      }
    }
  }
  return source;
}

YAML::Node parse_yaml(std::string_view text, std::string_view where) {
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line;
    throw Error(Errc::usage,
                fmt::format("{}:{}: not readable as YAML or JSON: {}; see docs/data.md",
                            printable(where), line + 1, printable(error.msg)));
  }
}

DataDocument read_document(const Value& root) {
  const std::vector<std::string> sources = {"images", "npz", "npy", "random", "tfrecord"};
  root.check_keys({"images", "npz", "npy", "random", "tfrecord", "input", "batch_size", "limit"});
  std::optional<Value> section;
  std::string kind;
  for (const std::string& name : sources) {
    const std::optional<Value> found = root.get(name);
    if (found && section) root.fail(fmt::format("both {} and {}; keep one", kind, name));
    if (!found) continue;
    section = found;
    kind = name;
  }
  if (!section) root.fail("says nothing of the data; add one of images, npz, npy, random");

  DataDocument document;
  if (kind == "tfrecord") {
    throw Error(Errc::unsupported,
                "tfrecord: TFRecord files are not read yet; export the samples with numpy.savez "
                "and name them under npz");
  }
  if (kind == "images") document.source = read_images(*section);
  if (kind == "npz") document.source = read_npz(*section);
  if (kind == "npy") document.source = read_npy_section(*section);
  if (kind == "random") document.source = read_random(*section);
  if (const auto value = root.get("input")) {
    if (kind == "npz") value->fail("npz names its arrays under npz.inputs; move it there");
    if (kind == "random") value->fail("random data go to every input; leave it out");
    document.input = value->text();
  }
  if (const auto value = root.get("batch_size")) document.batch_size = value->count();
  if (const auto value = root.get("limit")) document.limit = value->count();
  return document;
}

}  // namespace

DataDocument parse_data_document(std::string_view text, std::string_view where) {
  if (text.size() > kLargestDocument) {
    throw Error(Errc::usage, fmt::format("{}: {} are too much for a data document (at most {}); is "
                                         "it one?",
                                         printable(where), human_bytes(text.size()),
                                         human_bytes(kLargestDocument)));
  }
  try {
    return read_document(Value(parse_yaml(text, where), where, ""));
  } catch (const YAML::Exception& error) {  // thrown by no path that we know
    throw Error(Errc::usage, fmt::format("{}: not readable as YAML or JSON: {}; see docs/data.md",
                                         printable(where), printable(error.msg)));
  }
}

}  // namespace quantlens
