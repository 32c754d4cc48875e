// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// A constant in brief: as many of its elements as tell it from others, dequantized, from places
/// that depend on its size alone.
struct Sketch {
  std::vector<float> values;
  std::int64_t count = 0;    ///< elements of the whole constant
  bool is_whole = false;     ///< whole numbers that are no codes: a shape, indices
  bool is_unscaled = false;  ///< codes whose scale is applied elsewhere
};

/// Which elements of a constant, as it is stored, its sketch holds, in its order. `swapped`: of a
/// matrix, read with its axes swapped. REQUIRES: `constant.stored` is not null; no blocks.
std::vector<std::size_t> sketched_places(const FloatView::Constant& constant, bool swapped);

/// REQUIRES: `constant.stored` is not null. `swapped`: a matrix, read with its axes swapped.
Sketch sketch_of(const FloatView::Constant& constant, bool swapped);

/// How much a quantized constant looks like one of the reference: 1 where they are equal, about 0
/// where they have nothing to do with each other. For some numbers the cosine, a wrong scale
/// counting a little; for a few their relative error. NaN, and infinities that codes stand for, are
/// left out; where that leaves nothing, they may be the same (kAgrees).
double agreement(const Sketch& reference, const Sketch& quantized);

/// What is taken for the same constant after 8-bit quantization, and what certainly is.
inline constexpr double kAgrees = 0.5;
inline constexpr double kAgreesWell = 0.9;

/// Whether so many numbers can agree well by chance.
bool is_telling(const Sketch& sketch);

/// The sketches of one graph's constants, made when first asked for.
class Sketches {
 public:
  explicit Sketches(const FloatView& view) : view_(view) {}
  /// Null where the constant cannot be read as numbers.
  const Sketch* of(std::size_t constant, bool swapped);

 private:
  const FloatView& view_;
  std::map<std::pair<std::size_t, bool>, Sketch> sketches_;
};

/// A weight that wants a counterpart, in all forms that it may have there.
struct Wanted {
  std::size_t op = 0;
  std::vector<const Sketch*> sketches;
};

/// Pairs (of the reference, of the quantized model) of weights that are surely the same: each is
/// the other's best counterpart by far. REQUIRES: all sketches have the same `count`, and each
/// weight has one.
std::vector<std::pair<std::size_t, std::size_t>> best_counterparts(
    const std::vector<Wanted>& reference, const std::vector<Wanted>& quantized);

}  // namespace quantlens
