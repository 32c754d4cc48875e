// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/ranges/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/quant/distribution.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/quantizer/ranges/choose_ranges.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens {
namespace {

/// Why an expectation cannot be had; told as its reason.
struct Unknown {
  std::string reason;
};

bool asks_anything(const TensorRecipe& asked) {
  return asked != TensorRecipe();
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::bad_input, sentence);
}

bool is_float(std::optional<AskedDtype> asked) {
  return asked == AskedDtype::fp32 || asked == AskedDtype::fp16;
}

Scheme scheme_with(Scheme scheme, const TensorRecipe& asked) {
  if (asked.dtype && *asked.dtype != AskedDtype::int_) {
    const Scheme plain = plain_scheme(asked);
    if (plain.dtype != scheme.dtype) scheme.bits = plain.bits;
    scheme.dtype = plain.dtype;
  }
  if (asked.scheme) scheme.symmetric = *asked.scheme == Symmetry::sym;
  return scheme;
}

double percentile_of(const TensorRecipe& asked) {
  const double kept = asked.percentile.value_or(RangeChoice().percentile);
  if (!(kept > 0) || kept > 100) {
    refuse(fmt::format("a percentile of {} keeps no elements; give one above 0, up to 100", kept));
  }
  return kept;
}

/// What makes no sense, whatever is stored.
void check(const WhatIf& change) {
  const std::string value = printable(change.value.substr(0, 200));
  const TensorRecipe& activation = change.activation;
  const TensorRecipe& weight = change.weight;
  if (!change.range && !asks_anything(activation) && !asks_anything(weight)) {
    refuse(
        fmt::format("the change of '{}' asks for nothing; give it a range, or what activation "
                    "or weight should have",
                    value));
  }
  if (activation.dtype == AskedDtype::int4 || activation.dtype == AskedDtype::uint4 ||
      weight.dtype == AskedDtype::int16 || weight.dtype == AskedDtype::uint16) {
    refuse(fmt::format("'{}': 4 bits are for weights alone, 16 bits for activations alone", value));
  }
  if (activation.granularity.value_or(Granularity::per_tensor) != Granularity::per_tensor ||
      activation.group_size) {
    refuse(fmt::format("'{}': an activation has one scale; granularity is the weight's", value));
  }
  if (!change.range) return;
  const Range& range = *change.range;
  if (!std::isfinite(range.min) || !std::isfinite(range.max) ||
      range.max - range.min < std::numeric_limits<float>::min()) {
    refuse(
        fmt::format("the range {} to {} of '{}' is none; give a finite least and a greater "
                    "greatest value",
                    range.min, range.max, value));
  }
  if (activation.algorithm || activation.percentile || is_float(activation.dtype)) {
    refuse(fmt::format("'{}': a range goes with no algorithm and no float; ask for one of them",
                       value));
  }
}

/// As a calibration chooses it, but for what samples told apart would tell.
Range range_by(RangeAlgorithm algorithm, const TensorRecipe& asked, const Distribution& values,
               const Scheme& scheme) {
  const RangeChoice choice{.algorithm = algorithm, .percentile = percentile_of(asked)};
  const auto chosen = choose_range(values, std::nullopt, choice, scheme);
  if (chosen) return chosen->range;
  throw Unknown{"a moving average needs the extremes of each sample, which are not stored"};
}

/// What the codes of an activation mean as they are: from the least to the greatest.
Range reach_of(const QParams& params, const Scheme& scheme) {
  const CodeRange codes = code_range(scheme);
  return {dequantize(static_cast<std::int32_t>(codes.min), params),
          dequantize(static_cast<std::int32_t>(codes.max), params)};
}

struct Codes {
  Range range;
  QParams params;
  Distribution::Error error;
};

Codes with_params(const Distribution& values, const Range& range, const Scheme& scheme) {
  Codes codes{.range = range, .params = choose_params(range, scheme), .error = {}};
  codes.error = values.expected_error(codes.params, code_limits(scheme.dtype));
  return codes;
}

/// The row's codes as the change has them; nothing where it asks for no others.
std::optional<Codes> new_codes(const StoredOp& op, const WhatIf& change) {
  if (!change.range && !asks_anything(change.activation)) return std::nullopt;
  if (is_float(change.activation.dtype)) return Codes{};
  if (op.pair == nullptr || !op.pair->scheme || !op.pair->params) {
    throw Unknown{"the quantized model has no codes of it"};
  }
  if (!op.pair->channel_params.empty()) {
    throw Unknown{"its codes have a scale for each channel, of which no counts are stored"};
  }
  if (op.activation == nullptr || op.activation->reference_histogram.empty()) {
    throw Unknown{"no histogram of it is stored"};
  }
  const PairStats::Extremes& extremes = op.activation->pairs.extremes();
  const Distribution values(op.activation->reference_histogram, {extremes.min_x, extremes.max_x});
  const Scheme scheme = scheme_with(*op.pair->scheme, change.activation);
  Range range = reach_of(*op.pair->params, *op.pair->scheme);
  if (change.range) {
    range = {std::min(change.range->min, 0.F), std::max(change.range->max, 0.F)};  // 0 is exact
  } else if (change.activation.algorithm || change.activation.percentile) {
    range = range_by(change.activation.algorithm.value_or(RangeAlgorithm::percentile),
                     change.activation, values, scheme);
  }
  return with_params(values, range, scheme);
}

/// What of a channel's energy rounding can take at most: 0 is a code, so that no element loses more
/// than itself, and so is the extreme in the symmetric range that it makes, which loses nothing. It
/// is what one wide element leaves of a channel of narrow ones.
double most_error(const ChannelMoments::Channel& channel, const Scheme& scheme) {
  const double energy = channel.sum_sq.value();
  if (!scheme.symmetric) return energy;
  const double extreme = std::max(std::abs(channel.min), std::abs(channel.max));
  return std::max(0.0, energy - extreme * extreme);
}

/// Mean of the squared errors of a weight's channels where each has a scale of its own, its
/// elements spread evenly, as far as they have so much to lose; rounded to the nearest code of the
/// symmetric or affine range of its extremes.
double by_channel(const ChannelMoments& channels, const Scheme& scheme) {
  double sum = 0, count = 0;
  for (const ChannelMoments::Channel& channel : channels.channels()) {
    if (channel.finite == 0) continue;
    const double step = choose_params({channel.min, channel.max}, scheme).scale;
    const auto elements = static_cast<double>(channel.finite);
    if (channel.min != channel.max)
      sum += std::min(elements * step * step / 12, most_error(channel, scheme));
    count += elements;
  }
  return count > 0 ? sum / count : 0;
}

struct WeightError {
  double mse = 0;
  KnownBy by = KnownBy::histogram;
};

double by_tensor(const Distribution& values, const TensorRecipe& asked, const Scheme& scheme) {
  const Range range =
      range_by(asked.algorithm.value_or(RangeAlgorithm::minmax), asked, values, scheme);
  return with_params(values, range, scheme).error.sum();
}

/// The weight's squared error as the change has its codes.
WeightError weight_error(const StoredOp& op, const WhatIf& change) {
  if (is_float(change.weight.dtype)) return {};
  if (op.weight_row == nullptr) throw Unknown{"it has no weight that was compared"};
  if (op.weight_pair == nullptr || op.weight == nullptr || op.weight->reference_histogram.empty()) {
    throw Unknown{"no histogram of its weight is stored"};
  }
  const Scheme now = op.weight_pair->scheme;
  if (op.weight_pair->in_blocks || change.weight.granularity == Granularity::per_block) {
    throw Unknown{"what blocks of a weight cost is not stored"};
  }
  Scheme scheme = scheme_with(now, change.weight);
  const Granularity granularity = change.weight.granularity.value_or(op.weight_row->granularity);
  const bool is_other = granularity != op.weight_row->granularity;
  if (is_other && op.groups > 1) {
    throw Unknown{"its groups read inputs of their own, which weigh its channels otherwise"};
  }
  if (granularity == Granularity::per_tensor) {
    const PairStats::Extremes& extremes = op.weight->pairs.extremes();
    const Distribution values(op.weight->reference_histogram, {extremes.min_x, extremes.max_x});
    const double mse = by_tensor(values, change.weight, scheme);
    return {mse, is_other ? KnownBy::moments : KnownBy::histogram};
  }
  if (op.weight->reference_channels.channels().empty()) {
    throw Unknown{"no extremes of its weight's channels are stored"};
  }
  double mse = by_channel(op.weight->reference_channels, scheme);
  if (now.axis) {  // what the estimate lacks of what was measured
    const double likewise = by_channel(op.weight->reference_channels, now);
    if (likewise > 0) mse *= op.weight_row->mse / likewise;
  }
  return {mse, KnownBy::moments};
}

LocalError error_of(const ActivationRow& row) {
  return {.mse = row.local_mse.value_or(0),
          .sqnr_db = row.local_sqnr_db.value_or(0),
          .rounding_mse = row.rounding_mse.value_or(0),
          .clipping_mse = row.clipping_mse.value_or(0),
          .weight_mse = row.weight_mse.value_or(0)};
}

double decibels(double energy, double noise) {
  if (noise <= 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(energy / noise);
}

/// REQUIRES: the row has a local error.
void fill_in(const StoredOp& op, const WhatIf& change, Expectation& told) {
  const ActivationRow& row = *op.row;
  LocalError error = told.now;
  KnownBy by = KnownBy::histogram;
  if (const std::optional<Codes> codes = new_codes(op, change)) {
    error.rounding_mse = codes->error.rounding;
    error.clipping_mse = codes->error.saturation;
    if (!is_float(change.activation.dtype)) {
      told.range = codes->range;
      told.params = codes->params;
    }
  }
  if (asks_anything(change.weight)) {
    const WeightError weight = weight_error(op, change);
    const double before = op.weight_row != nullptr ? op.weight_row->mse : 0;
    if (!(before > 0)) throw Unknown{"its weight makes no error that others could be held against"};
    error.weight_mse = told.now.weight_mse * weight.mse / before;
    by = std::max(by, weight.by);
  }
  const auto own = [](const LocalError& of) {
    return of.rounding_mse + of.clipping_mse + of.weight_mse;
  };
  // What its inputs' codes make, and what has no name, stays.
  const double rest = std::max(0.0, told.now.mse - own(told.now));
  error.mse = rest + own(error);
  const double energy = told.now.mse * std::pow(10.0, told.now.sqnr_db / 10);
  error.sqnr_db = decibels(energy, error.mse);
  const double begun = told.now.mse - row.input_mse.value_or(0);
  if (row.output_share && begun > 0) {
    told.output_gain = *row.output_share * (told.now.mse - error.mse) / begun;
  }
  told.expected = error;
  told.known_by = by;
}

/// What of a change a recipe can ask of the op.
boost::json::object options_of(const WhatIf& change) {
  boost::json::object options;
  const auto add = [&](const char* of, const TensorRecipe& asked) {
    boost::json::object wanted;
    const json::Value all = json::encode(asked);
    for (const auto& [name, value] : all.get_object()) {
      if (!value.is_null()) wanted[name] = value;
    }
    if (!wanted.empty()) options[of] = std::move(wanted);
  };
  add("activation", change.activation);
  add("weight", change.weight);
  return options;
}

/// None says what range an op's result has; and an op that is to have 16 bits computes in float on
/// 16 bits of its inputs, while its readers decide what codes its result has.
bool is_in_no_recipe(const WhatIf& change) {
  return change.range || change.activation.dtype == AskedDtype::int16 ||
         change.activation.dtype == AskedDtype::uint16;
}

}  // namespace

Expectation expect(const StoredOp& op, const WhatIf& change) {
  check(change);
  Expectation told{.op = op.row->op,
                   .value = op.row->value,
                   .now = error_of(*op.row),
                   .expected = {},
                   .reason = {},
                   .range = {},
                   .params = {},
                   .output_gain = {}};
  if (!op.row->local_mse || !op.row->local_sqnr_db || !op.row->rounding_mse) {
    told.reason = "its local error was not measured";
    return told;
  }
  try {
    fill_in(op, change, told);
  } catch (const Unknown& unknown) {
    told.reason = unknown.reason;
  }
  return told;
}

Expectations sum_up(std::vector<Expectation> changes, const std::vector<WhatIf>& asked) {
  Expectations all{.changes = std::move(changes), .recipe = nullptr, .output_gain = 0};
  boost::json::object entries;
  bool is_asked_by_recipe = true;
  for (std::size_t i = 0; i < all.changes.size(); ++i) {
    if (is_in_no_recipe(asked.at(i))) is_asked_by_recipe = false;
    const Expectation& one = all.changes[i];
    if (one.output_gain && all.output_gain) {
      *all.output_gain += *one.output_gain;
    } else {
      all.output_gain.reset();
    }
    boost::json::object options = options_of(asked.at(i));
    if (!options.empty()) entries[pattern_of(one.op.name)] = std::move(options);
  }
  if (all.output_gain) all.output_gain = std::min(*all.output_gain, 1.0);
  if (is_asked_by_recipe && !entries.empty()) all.recipe = {{"op_name_dict", std::move(entries)}};
  return all;
}

}  // namespace quantlens
