// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "quantlens/runtime/oracle/call.h"
#include "quantlens/runtime/oracle/layout.h"

namespace quantlens::oracle {

/// Scales and zero points of a tensor: one of each, or one for each index of an axis.
struct Coding {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  Around size;  ///< of the tensor around that axis; extent 1 where there is one of each

  std::size_t channel(std::size_t element) const { return element / size.inner % size.extent; }
};

/// Reads them from two inputs (the zero point may be absent). `axis` counts where there are
/// several. Throws Errc::bad_input where their number is not that of the axis' indices.
Coding coding(const Call& call, const Shape& shape, std::size_t scale_input,
              std::size_t zero_point_input, std::int64_t axis);

/// A tensor's codes less their zero point, beside its coding.
struct Codes {
  Coding coding;
  std::vector<std::int64_t> values;
};

/// Inputs i, i + 1 and i + 2 of the QLinear ops: a tensor, its scale, its zero point.
Codes codes(const Call& call, std::size_t i, std::int64_t axis);

/// The same for ops that have zero points but no scales (scale 1).
Codes codes_without_scale(const Call& call, std::size_t i, std::size_t zero_point_input,
                          std::int64_t axis);

/// One scale and one zero point of a result, and the result's type.
struct Target {
  double scale = 1;
  std::int64_t zero_point = 0;
  DType dtype = DType::uint8;
};
Target target(const Call& call, std::size_t scale_input, std::size_t zero_point_input);

/// Real values as codes: round half to even of value / scale in double, saturated.
Tensor coded(const Target& target, Shape shape, const std::vector<double>& values);

}  // namespace quantlens::oracle
