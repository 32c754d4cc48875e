// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kNone = 1'000'000;  // number of an input that no op has

/// A node whose meaning is being read.
struct Reading {
  Node& node;
  const Constants& constants;

  const Tensor* constant(std::size_t input) const {
    const auto found = constants.find(input_of(node, input));
    return found == constants.end() ? nullptr : &found->second;
  }
  /// The elements of a short constant of integers.
  std::optional<Numbers> numbers(std::size_t input) const {
    constexpr std::int64_t kMost = 64;
    const Tensor* tensor = constant(input);
    if (tensor == nullptr || tensor->size() > kMost) return std::nullopt;
    if (tensor->dtype() != DType::int32 && tensor->dtype() != DType::int64) return std::nullopt;
    return to_int64(aligned(*tensor));
  }
  std::optional<std::int64_t> number(std::size_t input) const {
    const auto all = numbers(input);
    return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
  }
  bool flag(const std::string& key, bool otherwise = false) const {
    return attribute_int(node, key, otherwise ? 1 : 0) != 0;
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    return attribute_string(node, key, otherwise);
  }
};

/// What the roles are, or nothing where no kind says what the op does.
using Told = std::optional<Roles>;

// What ops of each type mean, by family; some put their data first.

// told_windows.cpp: of ops with channels, and of products.
Told conv_2d(Reading of);
Told conv_3d(Reading of);
Told depthwise(Reading of);
Told transposed_2d(Reading of);
Told transposed_3d(Reading of);
Told matrix_product(Reading of);
Told batch_product(Reading of);
Told bias(Reading of);
Told normalization(Reading of);
Told max_pool_2d(Reading of);
Told max_pool_3d(Reading of);
Told average_pool_2d(Reading of);
Told average_pool_3d(Reading of);

// told_moves.cpp: of ops with axes, extents, bounds or types.
Told reduction(Reading of);
Told relu6(Reading of);
Told clip(Reading of);
Told reshape(Reading of);
Told squeeze(Reading of);
Told unsqueeze(Reading of);
Told transpose(Reading of);
Told softmax(Reading of);
Told concat(Reading of);
Told old_concat(Reading of);
Told split(Reading of);
Told split_by_extents(Reading of);
Told arg_max(Reading of);
Told gather(Reading of);
Told gather_along(Reading of);
Told slice(Reading of);
Told pad(Reading of);
Told nearest(Reading of);
Told interpolated(Reading of);
Told cast(Reading of);

}  // namespace quantlens::graphdef
