// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "quantlens/record/statement.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// "has 4 of 16 output channels in another order (3 stands in place of 5)": where the channels that
/// are not the float ones' are each that of another one, by their direction, which is then one
/// channel's alone. A vector's elements are compared as numbers. Nothing else, and where there are
/// too many to compare.
std::optional<Statement> other_order(const Tensor& before, const Tensor& after,
                                     std::optional<int> axis);

/// A weight with its kernels or its matrix turned.
struct KernelTurn {
  Tensor values;
  std::string_view how;             ///< "transposed", "flipped"
  std::optional<std::size_t> axis;  ///< the only one along which it is flipped
  bool is_matrix = false;
};

/// All turns by which the elements of kernels (the axes from the third on) or of a square matrix
/// stay inside: read backwards along one axis or all, or with two axes exchanged.
std::vector<KernelTurn> kernel_turns(const Tensor& weight);

}  // namespace quantlens
