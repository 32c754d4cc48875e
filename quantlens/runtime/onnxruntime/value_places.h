// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "quantlens/graph/order.h"

namespace quantlens::onnxruntime {

/// Where a value of one model stands, or why it cannot be tapped.
struct Place {
  std::size_t position = 0;  ///< 0: a graph input, else one more than its node's number
  std::string obstacle;      ///< empty: none
};

/// Int8 codes that the runtime would turn into uint8 ones: who makes them, and their only reader.
struct SignedCodes {
  std::size_t quantize = 0;
  std::size_t dequantize = 0;
  std::int64_t zero_point = 0;
};

/// Finds the values of one model, and says what is known of them. Views the model.
class ValuePlaces {
 public:
  explicit ValuePlaces(const Model& model);

  const GraphIndex& index() const { return index_; }
  /// Throws Errc::not_found, naming the nearest, where the value is a weight or there is none.
  Place find(const std::string& value) const;
  /// Whether this is surely [N,C,H,W]: from a convolution, by ops that keep the rank.
  bool is_image(const std::string& value) const { return images_.contains(value); }
  /// Nothing where a value is none of these.
  std::optional<SignedCodes> signed_codes(const std::string& value) const;

 private:
  std::optional<std::int64_t> int8_zero_point(const Node& node) const;
  bool makes_image(const Node& node) const;
  /// Of a weight, also of a dequantized one.
  std::optional<std::size_t> rank_of_weight(const std::string& name) const;
  std::string where() const;

  const Model& model_;
  GraphIndex index_;
  std::unordered_set<std::string> images_;
};

}  // namespace quantlens::onnxruntime
