// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quantlens {

/// The values of one feature; views the record.
struct Feature {
  std::vector<std::string_view> bytes;
  std::vector<std::int64_t> integers;
  bool is_real = false;  ///< it has a list of reals, whose values nobody asks for
};

/// A feature by its name in a `tf.train.Example` (tensorflow/core/example/example.proto,
/// feature.proto); nothing where it has none of the name. Throws Errc::bad_input, naming `where`,
/// for bytes that are no Example.
std::optional<Feature> find_feature(std::string_view example, std::string_view name,
                                    std::string_view where);

/// The names of all features, sorted. Throws as find_feature does.
std::vector<std::string_view> feature_names(std::string_view example, std::string_view where);

}  // namespace quantlens
