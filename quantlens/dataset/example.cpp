// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/example.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr pbf_wire_type kMessage = pbf_wire_type::length_delimited;

// Field numbers. A field of another wire type than it should have is skipped, as unknown ones are.
struct Example {
  enum : protozero::pbf_tag_type { features = 1 };
};
struct Features {
  enum : protozero::pbf_tag_type { feature = 1 };  // a map: of entries with key and value
};
struct MapEntry {
  enum : protozero::pbf_tag_type { key = 1, value = 2 };
};
struct OneOf {
  enum : protozero::pbf_tag_type { bytes_list = 1, float_list = 2, int64_list = 3 };
};
struct List {
  enum : protozero::pbf_tag_type { value = 1 };
};

std::string_view text_of(pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

pbf_reader reader_of(std::string_view bytes) {
  return pbf_reader(bytes.data(), bytes.size());
}

/// Each (name, bytes of the feature) of an Example, as they stand.
template <class Visit>
void visit_features(std::string_view example, Visit&& visit) {
  pbf_reader whole = reader_of(example);
  while (whole.next(Example::features, kMessage)) {
    pbf_reader features = whole.get_message();
    while (features.next(Features::feature, kMessage)) {
      pbf_reader entry = features.get_message();
      std::string_view key, value;
      while (entry.next()) {
        if (entry.tag_and_type() == protozero::tag_and_type(MapEntry::key, kMessage)) {
          key = text_of(entry);
        } else if (entry.tag_and_type() == protozero::tag_and_type(MapEntry::value, kMessage)) {
          value = text_of(entry);
        } else {
          entry.skip();
        }
      }
      visit(key, value);
    }
  }
}

/// Packed, as they are written today, or one by one.
void add_integers(pbf_reader list, std::vector<std::int64_t>& values) {
  while (list.next()) {
    if (list.tag_and_type() == protozero::tag_and_type(List::value, kMessage)) {
      for (const std::int64_t value : list.get_packed_int64()) values.push_back(value);
    } else if (list.tag_and_type() == protozero::tag_and_type(List::value, pbf_wire_type::varint)) {
      values.push_back(list.get_int64());
    } else {
      list.skip();
    }
  }
}

Feature feature_of(std::string_view bytes) {
  Feature feature;
  pbf_reader one_of = reader_of(bytes);
  while (one_of.next()) {
    if (one_of.tag_and_type() == protozero::tag_and_type(OneOf::bytes_list, kMessage)) {
      pbf_reader list = one_of.get_message();
      while (list.next(List::value, kMessage)) feature.bytes.push_back(text_of(list));
    } else if (one_of.tag_and_type() == protozero::tag_and_type(OneOf::int64_list, kMessage)) {
      add_integers(one_of.get_message(), feature.integers);
    } else {
      feature.is_real |= one_of.tag() == OneOf::float_list;
      one_of.skip();
    }
  }
  return feature;
}

/// What `read` gives; bytes that are no message become an Error.
template <class Read>
auto read_example(std::string_view where, Read&& read) {
  try {
    return read();
  } catch (const protozero::exception&) {
    throw Error(Errc::bad_input, fmt::format("{}: is no tf.train.Example; write each sample as one",
                                             printable(where)));
  }
}

}  // namespace

std::optional<Feature> find_feature(std::string_view example, std::string_view name,
                                    std::string_view where) {
  return read_example(where, [&] {
    std::optional<Feature> found;  // of a map the last entry of a key stands
    visit_features(example, [&](std::string_view key, std::string_view value) {
      if (key == name) found = feature_of(value);
    });
    return found;
  });
}

std::vector<std::string_view> feature_names(std::string_view example, std::string_view where) {
  return read_example(where, [&] {
    std::vector<std::string_view> names;
    visit_features(example, [&](std::string_view key, std::string_view) { names.push_back(key); });
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  });
}

}  // namespace quantlens
