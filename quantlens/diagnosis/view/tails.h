// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/match/match_weights.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/quantizer/analyze/affine.h"
#include "quantlens/quantizer/analyze/output_channels.h"

namespace quantlens {

/// An op with a constant weight, and the ops behind it that multiply its output channels by
/// constants or add constants to them: what a tool may fold into it, some of them or all.
struct Tail {
  OutputChannels channels;
  std::vector<std::size_t> links;   ///< ops, in order
  std::vector<std::size_t> values;  ///< by number of links: what they make, from the op's own on
  /// Likewise: what they make of the products of the op's weight. Empty where there are no links.
  std::vector<Affine> sums;
  bool knows_shifts = true;  ///< else the `shift` of these is not known: the bias is no constant
};

/// A weight and what is added to its products, one number a channel.
struct WeightAndBias {
  const Sketch* weight = nullptr;  ///< null: cannot be told
  std::vector<double> factor;      ///< by which its products are multiplied; empty: 1
  std::optional<std::vector<double>> bias;
};

/// The tails of all ops of a view.
class Tails {
 public:
  explicit Tails(const FloatView& view);

  /// Null of an op without a constant weight of floats.
  const Tail* of(std::size_t op) const;
  /// The op in whose tail this one is a link.
  std::optional<std::size_t> owner(std::size_t op) const;

  /// The op's weight with so many links folded into it. REQUIRES: it has a tail of as many.
  const Sketch* weight(std::size_t op, std::size_t links);

  /// With how many links folded the op has such a weight and such a bias, within what rounding and
  /// the correction of biases change: all numbers that fit as well as the best one. All there are
  /// where neither tells.
  std::vector<std::size_t> fitting(std::size_t op, const WeightAndBias& of);
  /// Likewise where no number fits badly: nothing where the figures do not tell.
  std::vector<std::size_t> surely_fitting(std::size_t op, const WeightAndBias& of);

 private:
  std::vector<std::size_t> chosen(std::size_t op, const WeightAndBias& of, bool only_sure);
  double weight_error(std::size_t op, std::size_t links, const WeightAndBias& of);
  std::vector<std::size_t> channels_of_places(std::size_t op) const;
  const FloatView::Constant* weight_of(std::size_t op) const;

  const FloatView& view_;
  Sketches sketches_;
  std::vector<std::optional<Tail>> tails_;
  std::vector<std::optional<std::size_t>> owners_;
  std::map<std::pair<std::size_t, std::size_t>, Sketch> folded_;  // by op and number of links
};

/// A constant as one number for each of `count` channels; nothing where it has another number of
/// elements. `step`: of codes whose scale stands elsewhere, one or one a channel; else empty.
std::optional<std::vector<double>> numbers_of_channels(const FloatView::Constant& constant,
                                                       std::size_t count,
                                                       const std::vector<double>& step = {});

/// What an op adds to its products; nothing where that cannot be told.
std::optional<std::vector<double>> bias_of(const FloatView& view, const FloatView::Op& op,
                                           std::size_t count);

}  // namespace quantlens
