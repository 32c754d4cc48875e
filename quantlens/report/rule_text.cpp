// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/rule_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

// clang-format off
constexpr std::pair<std::string_view, std::string_view> kRules[] = {
    // of where error begins
    {"huge_mask", "A mask of huge negative numbers leaves other values hardly any codes."},
    {"clipped_range", "Codes clip values that the data have."},
    {"weight_scales", "Channels of a weight have the right codes and a wrong scale."},
    {"spread_weight", "A weight has one scale for channels of very different widths."},
    {"lost_bias", "A bias is gone in the quantized model, or is off."},
    {"saturation", "Sums of 8-bit products saturate on a CPU without VNNI."},
    {"unexplained", "An op's error is greater than what its inputs, weight and codes can make."},
    {"wasted_range", "Codes reach much farther than the values do."},
    {"unfolded_scale", "Codes are taken in front of factors that differ by channel."},
    {"uncorrected_bias", "Rounded weights shift the means of channels, and no bias takes that back."},
    {"steep_reader", "A rounded value is read by a function that is steep there."},
    {"outlier_channel", "One channel of an activation is much wider than the others."},
    {"outlier_activation", "Single values of an activation lie far from all others."},
    {"rounding", "Rounding a weight or a result to its codes makes the error."},
    // of the files and of the run
    {"changed_op", "The two files differ at an op."},
    {"changed_weight", "A weight is not what rounding makes of the float one."},
    {"unequal_codes", "Codes are written with one scale or zero point and read with another."},
    {"shifted_codes", "A zero point is off, and steps of the range are cut off on one side."},
    {"nonfinite", "A scale, a constant or an activation is NaN, infinite or a wrong zero."},
    {"observation", "The quantized model returns other numbers when its values are looked at."},
    {"unlike_data", "The data are unlike those of calibration, or were prepared otherwise."},
    {"accumulation", "No op makes much of the error by itself."},
    {"float_islands", "Ops between codes are computed in float and convert on both sides."},
    {"dead_channels", "Channels of a weight are all zero."},
    // of times
    {"broken_fusion", "The float model computes these ops as fewer nodes than the quantized one."},
    {"conversions", "Conversions and layouts cost more than an integer kernel saves."},
    {"float_island", "A float op pays for conversions or layouts around it."},
    {"lost_kernel", "The runtime computes an op in float that the file has between quantizers."},
    {"slow_kernel", "An integer kernel takes longer than the float one."},
    // of gates, and of the run itself
    {"run/failed", "The run did not end well."},
    {"gate/sqnr", "An activation keeps too little SQNR, or an output was not compared."},
    {"gate/accuracy", "More accuracy is lost than is allowed."}};
// clang-format on

}  // namespace

std::string rule_text(std::string_view rule) {
  const auto* const found =
      std::ranges::find(kRules, rule, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kRules) ? printable(rule) : std::string(found->second);
}

}  // namespace quantlens
