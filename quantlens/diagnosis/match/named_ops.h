// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// A node's type as that of an op on floats: "Add" of a QLinearAdd.
std::string_view plain_type(const Node& node);

/// The value of the reference that has a name of the quantized model's value, also of its codes as
/// ONNX Runtime's quantizer names them.
std::optional<std::size_t> named_alike(const FloatView& reference, const FloatView& quantized,
                                       std::size_t value);

/// The op of the reference whose first result has the name of op `q`'s.
std::optional<std::size_t> namesake(const FloatView& reference, const FloatView& quantized,
                                    std::size_t q);

/// Which ops of two files names say to be the same: one type, and a first result of one name. What
/// graphs and weights suggest is not true where names and edges of both files deny it.
class NamedOps {
 public:
  /// Views both.
  NamedOps(const FloatView& reference, const FloatView& quantized);

  /// The quantized model's op of the name and type of this one of the reference.
  std::optional<std::size_t> of(std::size_t reference) const { return named_[reference]; }
  /// Whether that one reads, in this operand, what is named like this value of the reference and is
  /// the same result of its op.
  bool reads(std::size_t reference, std::size_t operand, std::size_t value) const;

 private:
  const FloatView& reference_;
  const FloatView& quantized_;
  std::vector<std::optional<std::size_t>> named_;  // by op of the reference
};

}  // namespace quantlens
