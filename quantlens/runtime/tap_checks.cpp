// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tap_checks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// Throws Errc::bad_input where a tap asks for channels that cannot be.
void check_channels(std::optional<int> axis, const std::vector<std::uint32_t>& histograms,
                    const std::string& value) {
  const auto refuse = [&](const char* problem) {
    throw Error(Errc::bad_input, fmt::format(fmt::runtime(problem), printable(value)));
  };
  if (axis.value_or(0) < 0) refuse("the channel axis of the tap on '{}' is negative");
  if (!axis && !histograms.empty()) {
    refuse("the tap on '{}' has channels, but no axis that they lie along");
  }
  if (std::ranges::adjacent_find(histograms, std::greater_equal()) != histograms.end()) {
    refuse("the channels of the tap on '{}' are not in ascending order");
  }
}

/// Throws Errc::bad_input where scales of channels have no axis, or lie along the samples'.
void check_scales(const PairTap& pair) {
  if (pair.channel_params.empty()) return;
  const bool has_axis = pair.scheme && pair.scheme->axis.value_or(-1) >= 0;
  if (pair.params && has_axis && *pair.scheme->axis != pair.sample_axis) return;
  throw Error(Errc::bad_input, fmt::format("the codes of {} have a scale for each channel, but no "
                                           "axis that the channels lie along",
                                           pair_name(pair)));
}

/// The shape of a value in its model.
std::string shape_text(const TensorView& value, bool channels_last) {
  Shape shape(value.shape.begin(), value.shape.end());
  if (channels_last) std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return to_string(shape);
}

/// Why the pair's codes cannot have a scale for each channel of what is shown; empty: they can.
std::string scales_obstacle_of(const PairTap& pair, const TensorView& reference,
                               bool channels_last) {
  if (pair.channel_params.empty()) return {};
  const auto axis = static_cast<std::size_t>(shown_axis(*pair.scheme->axis, channels_last));
  const auto scales = static_cast<std::int64_t>(pair.channel_params.size());
  if (axis < reference.shape.size() && reference.shape[axis] == scales) return {};
  return fmt::format(
      "when run, '{}' has shape {}, and not the {} channels along axis {} that its "
      "codes have scales for",
      printable(pair.reference), shape_text(reference, channels_last), scales, *pair.scheme->axis);
}

/// Why a pair's values have not the channels that its tap asks for; empty: they have.
std::string channel_obstacle_of(const PairTap& pair, const TensorView& reference,
                                bool channels_last) {
  if (!pair.channel_axis) return {};
  const auto axis = static_cast<std::size_t>(shown_axis(*pair.channel_axis, channels_last));
  if (axis < reference.shape.size()) {
    const std::int64_t channels = reference.shape[axis];
    const auto& marked = pair.channel_histograms;
    if (marked.empty() || marked.back() < channels || channels == 0) return {};
  }
  return fmt::format(
      "when run, '{}' has shape {}, and not the channels along axis {} that its ops "
      "promise",
      printable(pair.reference), shape_text(reference, channels_last), *pair.channel_axis);
}

}  // namespace

std::string pair_name(const PairTap& pair) {
  return fmt::format("'{}' and '{}'", printable(pair.reference), printable(pair.quantized));
}

void check_taps(const TapSpec& spec) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Tap& tap : spec.taps) {
    if (!seen.insert({tap.value, {}}).second) {
      throw Error(Errc::bad_input, fmt::format("value '{}' is tapped twice", printable(tap.value)));
    }
    check_channels(tap.channel_axis, tap.channel_histograms, tap.value);
  }
  seen.clear();
  for (const PairTap& pair : spec.pairs) {
    if (!seen.insert({pair.reference, pair.quantized}).second) {
      throw Error(Errc::bad_input, fmt::format("values {} are tapped twice", pair_name(pair)));
    }
    check_channels(pair.channel_axis, pair.channel_histograms, pair.reference);
    check_scales(pair);
  }
}

int shown_axis(int axis, bool channels_last) {
  constexpr std::array<int, 4> kPlace = {0, 3, 1, 2};
  if (!channels_last || axis >= static_cast<int>(kPlace.size())) return axis;
  return kPlace.at(static_cast<std::size_t>(axis));
}

AxisLayout channel_layout(const Shape& sample, int axis, const std::string& name) {
  if (axis < static_cast<int>(sample.size())) return axis_layout(sample, axis);
  throw Error(Errc::bad_input, fmt::format("value '{}' of shape {} has no channel axis {}",
                                           printable(name), to_string(sample), axis));
}

std::string obstacle_of(const PairTap& pair, const TensorView& reference,
                        const TensorView& quantized, bool channels_last) {
  if (!std::ranges::equal(reference.shape, quantized.shape)) {
    return fmt::format(
        "when run, '{}' of the reference has shape {} and '{}' of the quantized model {}",
        printable(pair.reference), shape_text(reference, channels_last), printable(pair.quantized),
        shape_text(quantized, channels_last));
  }
  const DType dtype = quantized.dtype;
  const bool fits = pair.params ? !is_float(dtype) && dtype != DType::string &&
                                      (!pair.scheme || pair.scheme->dtype == dtype)
                                : is_float(dtype);
  if (fits && reference.dtype != DType::string) {
    const std::string scales = scales_obstacle_of(pair, reference, channels_last);
    return scales.empty() ? channel_obstacle_of(pair, reference, channels_last) : scales;
  }
  const std::string wanted = !pair.params  ? "a float"
                             : pair.scheme ? std::string(name(pair.scheme->dtype))
                                           : "an integer";
  return fmt::format(
      "when run, '{}' of the reference is {} and '{}' of the quantized model {}, not {}",
      printable(pair.reference), name(reference.dtype), printable(pair.quantized), name(dtype),
      wanted);
}

}  // namespace quantlens
