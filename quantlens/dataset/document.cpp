// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/document.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/yaml.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostValues = 1000;  // of a list, or of a map with free keys

/// One value of the document and how to speak of it: "val.yaml: images.crop".
/// Views the document.
class Value {
 public:
  Value(const json::Value& value, std::string_view where, std::string key)
      : value_(&value), where_(where), key_(std::move(key)) {}

  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(Errc::usage, fmt::format("{}: {}{}{}", printable(where_), printable(key_),
                                         key_.empty() ? "" : ": ", problem));
  }

  /// Checks that this is a map of these keys only.
  void check_keys(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : members()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      const std::string hint = did_you_mean(key, known);
      fail(fmt::format("unknown key '{}'; {}", printable(key),
                       hint.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : hint));
    }
  }

  /// Nothing where the key is absent or null. REQUIRES: check_keys has passed.
  std::optional<Value> get(const std::string& key) const {
    for (const auto& [name, value] : members()) {
      if (name == key && !value.value_->is_null()) return value;
    }
    return std::nullopt;
  }

  std::vector<std::pair<std::string, Value>> members() const {
    if (!value_->is_object() && key_.empty()) {
      throw Error(
          Errc::bad_input,
          fmt::format("{}: is text but no data document, such as npz: {{file: samples.npz}} "
                      "(docs/data.md); a .npz or .npy file is told by its content",
                      printable(where_)));
    }
    if (!value_->is_object()) fail("must be a map of keys, as {key: value}");
    if (value_->get_object().size() > kMostValues) fail("has too many keys");
    std::vector<std::pair<std::string, Value>> result;
    for (const auto& member : value_->get_object()) {
      const std::string name(member.key());
      result.emplace_back(name,
                          Value(member.value(), where_, key_.empty() ? name : key_ + "." + name));
    }
    return result;
  }

  bool is_list() const { return value_->is_array(); }

  /// The values of a list; a value that is none stands for a list of one.
  std::vector<Value> items() const {
    if (!value_->is_array()) return {*this};
    if (value_->get_array().size() > kMostValues) fail("has too many values");
    std::vector<Value> result;
    for (const json::Value& item : value_->get_array()) result.emplace_back(item, where_, key_);
    return result;
  }

  std::string text() const {
    if (value_->is_int64()) return std::to_string(value_->get_int64());  // a name such as 17
    if (!value_->is_string()) fail("must be a text; put it in quotes");
    return std::string(value_->get_string());
  }

  std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const std::int64_t* number = value_->if_int64();
    if (number == nullptr || *number < least || *number > most) {
      fail(fmt::format("must be a whole number from {} to {}", least, most));
    }
    return *number;
  }

  double number() const {
    if (value_->is_int64()) return static_cast<double>(value_->get_int64());
    if (!value_->is_double()) fail("must be a number");
    return value_->get_double();
  }

  std::uint64_t count() const {
    return static_cast<std::uint64_t>(integer(1, std::numeric_limits<std::int64_t>::max()));
  }

  std::vector<double> numbers() const {
    std::vector<double> result;
    for (const Value& item : items()) result.push_back(item.number());
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
  const json::Value* value_;
  std::string_view where_;
  std::string key_;
};

int side(const Value& value) {
  constexpr std::int64_t kLongest = 1'000'000;
  return static_cast<int>(value.integer(1, kLongest));
}

/// 224, or [height, width].
ImageSize read_size(const Value& value) {
  const std::vector<Value> sides = value.items();
  if (sides.empty() || sides.size() > 2) value.fail("must be one number, or [height, width]");
  return {.height = side(sides.front()), .width = side(sides.back())};
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

std::vector<std::string> with_steps(std::vector<std::string> keys) {
  for (const char* key :
       {"resize_short", "resize", "crop", "color", "mean", "std", "layout", "dtype"})
    keys.emplace_back(key);
  return keys;
}

/// REQUIRES: check_keys has passed.
ImageSteps read_steps(const Value& section) {
  ImageSteps steps;
  if (const auto value = section.get("resize_short")) steps.resize_short = side(*value);
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
  return steps;
}

ImagesSource read_images(const Value& section) {
  section.check_keys(with_steps({"folder", "labels"}));
  return {.folder = required(section, "folder").text(),
          .labels = text_or_nothing(section, "labels"),
          .steps = read_steps(section)};
}

TfrecordSource read_tfrecord(const Value& section) {
  section.check_keys(with_steps({"files", "image", "label"}));
  TfrecordSource source{
      .files = required(section, "files").text(), .features = {}, .steps = read_steps(section)};
  if (const auto image = section.get("image")) source.features.image = image->text();
  if (const auto label = section.get("label")) {
    source.features.label = label->text();
    source.features.is_label_needed = true;
  }
  return source;
}

NpzSource read_npz(const Value& section) {
  section.check_keys({"file", "inputs", "label"});
  NpzSource source{.file = required(section, "file").text(), .roles = {}};
  if (const auto inputs = section.get("inputs")) {
    for (const auto& [input, array] : inputs->members()) {
      source.roles.inputs[input] = array.text();
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
    source.seed =
        static_cast<std::uint64_t>(seed->integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  if (const auto shapes = section.get("shapes")) {
    for (const auto& [input, extents] : shapes->members()) {
      Shape& shape = source.shapes[input];
      if (!extents.is_list()) extents.fail("must be a list of extents, as [128]");
      for (const Value& extent : extents.items()) {
        shape.push_back(extent.integer(0, std::numeric_limits<std::int32_t>::max()));
      }
    }
  }
  return source;
}

DataDocument read_document(const Value& root) {
  const std::vector<std::string> sources = {"images", "tfrecord", "npz", "npy", "random"};
  root.check_keys({"images", "tfrecord", "npz", "npy", "random", "input", "batch_size", "limit"});
  std::optional<Value> section;
  std::string kind;
  for (const std::string& name : sources) {
    const std::optional<Value> found = root.get(name);
    if (found && section) root.fail(fmt::format("both {} and {}; keep one", kind, name));
    if (!found) continue;
    section = found;
    kind = name;
  }
  if (!section)
    root.fail("says nothing of the data; add one of images, tfrecord, npz, npy, random");

  DataDocument document;
  if (kind == "images") document.source = read_images(*section);
  if (kind == "tfrecord") document.source = read_tfrecord(*section);
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
  const json::Value root = parse_yaml(text, where);
  return read_document(Value(root, where, ""));
}

}  // namespace quantlens
