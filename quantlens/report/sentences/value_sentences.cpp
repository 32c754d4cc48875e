// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

std::string huge_mask(const Figures& f) {
  return fmt::format(
      "a mask of {:.3g} is in its range, so that one code stands for {:.3g} and what is not masked "
      "has few",
      f.number("mask"), f.number("step"));
}

std::string clipped_range(const Figures& f) {
  const auto codes = f.ends("codes"), values = f.ends("values");
  return fmt::format(
      "its codes reach {:.3g} to {:.3g}, its values {:.3g} to {:.3g}: {} % of them are clipped, "
      "which makes {:.0f} % of its own error",
      codes[0], codes[1], values[0], values[1], percent_text(f.number("clipped")),
      f.percent("part"));
}

std::string lost_bias_absent(const Figures&) {
  return "the float op adds a bias, the quantized one none";
}

constexpr const char* kOfBias =
    "after quantization, and makes the result wrong by a constant in "
    "each channel";

std::string lost_bias_not_zero(const Figures&) {
  return fmt::format("its bias is not 0 {}", kOfBias);
}

std::string lost_bias_off(const Figures& f) {
  return fmt::format("its bias is off by {} % of itself {}", percent_text(f.number("off")),
                     kOfBias);
}

std::string lost_bias_wrong_scale(const Figures& f) {
  return fmt::format(
      "its bias counts {:.2g} times, since it stands in steps of the scale of the codes that the "
      "op reads, which is wrong",
      f.number("factor"));
}

std::string weight_scales(const Figures& f) {
  return fmt::format(
      "{} of {} channels of its weight have the right codes and a wrong scale: the weight keeps "
      "{:.1f} dB",
      f.count("wrong"), f.count("channels"), f.number("weight_sqnr"));
}

std::string spread_weight(const Figures& f) {
  return fmt::format(
      "its weight has one scale for {} channels, the widest {:.0f} times as wide as the median one "
      "(channel {} keeps {:.1f} dB)",
      f.count("channels"), f.number("spread"), f.count("worst_channel"),
      f.number("worst_channel_sqnr"));
}

std::string saturation(const Figures& f) {
  return fmt::format(
      "neither weight nor codes explain {:.0f} % of its own error, and this CPU (no VNNI) "
      "saturates sums of 8-bit products",
      f.percent("part"));
}

std::string wasted_range(const Figures& f) {
  return fmt::format(
      "its codes reach over {:.3g}, its values over {:.3g} only (of {}): {:.0f} of {} steps are "
      "used",
      f.number("codes"), f.number("values"), counted(f.count("samples"), "sample"),
      f.number("used_steps"), f.count("steps"));
}

std::string out_of_line(const Figures& f) {
  return fmt::format(
      "its codes reach {:.2f} times as far as its values, those of the file's other values {:.2f} "
      "times (median): its scale of {:.3g} is out of line with them",
      f.number("reach"), f.number("usual_reach"), f.number("step"));
}

std::string factors_of(const Figures& f) {
  const auto factors = f.ends("factors");
  return fmt::format("{:.2g} to {:.2g}", factors[0], factors[1]);
}

std::string unfolded_result(const Figures& f) {
  return fmt::format(
      "one scale serves channels that {} evens out behind its codes (times {}), where their steps "
      "are {:.0f} times those of its result: a scale that was not folded into the op",
      f.text("op"), factors_of(f), f.number("coarser"));
}

std::string unfolded_constants(const Figures& f) {
  return fmt::format(
      "it evens out channels by constants of {} that were not folded into the op before it, and "
      "one scale rounds the small ones away",
      factors_of(f));
}

std::string steep_reader(const Figures& f) {
  return fmt::format(
      "a {} ({}) reads it, and tells small values apart that one step of {:.3g} makes equal (their "
      "median: {:.3g})",
      f.text("what"), f.shown("op"), f.number("step"), f.number("median"));
}

std::string outlier_channel(const Figures& f) {
  const double left = f.number("codes_left");
  return fmt::format(
      "its widest channel reaches {:.0f} times as far as the median one, which is left with {} of "
      "{} codes",
      f.number("spread"), left < 1 ? "less than one" : fmt::format("{:.0f}", left),
      f.count("codes"));
}

std::string outlier_activation(const Figures& f) {
  return fmt::format(
      "its farthest value is {:.0f} standard deviations from its mean, so that a step of {:.3g} is "
      "{:.2g} of them",
      f.number("distance"), f.number("step"), f.number("step_in_deviations"));
}

std::string rounding_of_codes_inside(const Figures& f) {
  return fmt::format(
      "it computes with codes that were not compared, whose rounding may make {:.0f} % of its own "
      "error",
      f.percent("part"));
}

std::string rounding_of_uncompared_codes(const Figures& f) {
  return fmt::format(
      "it reads codes that were not compared, whose rounding may make {:.0f} % of its own error",
      f.percent("part"));
}

std::string rounding_of_weight(const Figures& f) {
  return fmt::format("rounding its weight ({:.1f} dB) makes {:.0f} % of its own error",
                     f.number("weight_sqnr"), f.percent("part"));
}

std::string rounding_of_constants(const Figures& f) {
  return fmt::format(
      "{:.0f} % of its own error comes from its constants as they are stored in the quantized "
      "model",
      f.percent("part"));
}

std::string rounding_to_bits(const Figures& f) {
  return fmt::format(
      "{} bits are too few for {}: rounding in steps of {:.3g} makes {:.0f} % of its own error",
      f.count("bits"), f.text("of") == "input" ? "it" : "its result", f.number("step"),
      f.percent("part"));
}

std::string beyond_uncompared_codes(const Figures& f) {
  return fmt::format(
      "it reads codes that were not compared, whose rounding seldom makes an error as great as its "
      "own ({:.1f} dB)",
      f.number("own_sqnr"));
}

std::string other_weight(const Figures& f) {
  return fmt::format(
      "its weight in the quantized model ({:.1f} dB) makes {:.0f} % of its own error and is off by "
      "{:.1f} times the most that rounding in its steps can make: it is another weight",
      f.number("weight_sqnr"), f.percent("part"), f.number("times_rounding"));
}

std::string known_change(const Figures& f) {
  return fmt::format(
      "the difference of the two files that is told of it makes {:.0f} % of its own error",
      f.percent("part"));
}

std::string no_weight(const Figures& f) {
  return fmt::format(
      "rounding of its inputs and result cannot make {:.0f} % of its own error, and the quantized "
      "model has no weight that is surely this one: the weight or the bias may be another one",
      f.percent("part"));
}

std::string beyond_rounding(const Figures& f) {
  return fmt::format(
      "rounding of its inputs, {} and result cannot make {:.0f} % of its own error, and no "
      "difference of the two files is known that does",
      f.text("constant"), f.percent("part"));
}

std::string not_compared_value(const Figures& f) {
  return fmt::format(
      "its result was not compared ({}), so that it is known only what its float form takes away",
      f.text("reason"));
}

std::string uncorrected_bias(const Figures& f) {
  return fmt::format(
      "rounding their weights shifts the means of channels at {} ops; such shifts add up along the "
      "network, and bias correction takes them away",
      f.count("ops"));
}

constexpr Sentence kValueSentences[] = {
    {"huge_mask", huge_mask},
    {"clipped_range", clipped_range},
    {"lost_bias.absent", lost_bias_absent},
    {"lost_bias.not_zero", lost_bias_not_zero},
    {"lost_bias.off", lost_bias_off},
    {"lost_bias.wrong_scale", lost_bias_wrong_scale},
    {"weight_scales", weight_scales},
    {"spread_weight", spread_weight},
    {"saturation", saturation},
    {"wasted_range", wasted_range},
    {"wasted_range.out_of_line", out_of_line},
    {"unfolded_scale.result", unfolded_result},
    {"unfolded_scale.constants", unfolded_constants},
    {"uncorrected_bias", uncorrected_bias},
    {"steep_reader", steep_reader},
    {"outlier_channel", outlier_channel},
    {"outlier_activation", outlier_activation},
    {"rounding.codes_inside", rounding_of_codes_inside},
    {"rounding.uncompared_codes", rounding_of_uncompared_codes},
    {"rounding.weight", rounding_of_weight},
    {"rounding.constants", rounding_of_constants},
    {"rounding.bits", rounding_to_bits},
    {"unexplained.uncompared_codes", beyond_uncompared_codes},
    {"unexplained.other_weight", other_weight},
    {"unexplained.known_change", known_change},
    {"unexplained.no_weight", no_weight},
    {"unexplained.beyond_rounding", beyond_rounding},
    {"unexplained.not_compared", not_compared_value},
};

}  // namespace

std::span<const Sentence> value_sentences() {
  return kValueSentences;
}

}  // namespace quantlens
