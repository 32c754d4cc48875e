// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

// ---- constants
std::string changed_constant(const Figures& f) {
  return fmt::format("its {}{} ", f.text("constant"),
                     f.has("ops") ? fmt::format(" (which {} ops share)", f.count("ops")) : "");
}

std::string beyond_codes(const Figures&) {
  return ", which no rounding of its codes makes";
}

std::string zero(const Figures& f) {
  return fmt::format("is 0 in all its {} elements", f.count("elements"));
}

std::string zeros(const Figures& f) {
  return fmt::format("is 0 in {} of {} elements that are not small in the float one",
                     f.count("zeros"), f.count("elements"));
}

std::string wrapped(const Figures& f) {
  return fmt::format(
      "is off by {} codes in {} of {} elements: they have left the codes' range and wrapped around",
      f.count("codes"), f.count("off"), f.count("elements"));
}

std::string few_codes(const Figures& f) {
  return fmt::format("has only {} of its {} codes, as many as {} bits have, in steps of {} codes",
                     f.count("used"), f.count("codes"), f.count("bits"), f.count("gap"));
}

std::string turned(const Figures& f) {
  return fmt::format("has its {} {}{}", f.text("of"), f.text("turn"),
                     f.has("axis") ? fmt::format(" along axis {}", f.count("axis")) : "");
}

std::string signs(const Figures& f) {
  return fmt::format("has the opposite sign in {} of {} {}", f.count("turned"), f.count("of"),
                     f.text("channels"));
}

std::string factors(const Figures& f) {
  const auto ends = f.ends("times");
  const std::string times = f.is_list("times") ? fmt::format("{:.3g} to {:.3g}", ends[0], ends[1])
                                               : fmt::format("{:.3g}", f.number("times"));
  if (!f.has("changed")) return fmt::format("is {} times the float one", times);
  return fmt::format("is {} times the float one in {} of {} {}", times, f.count("changed"),
                     f.count("of"), f.text("channels"));
}

std::string number(const Figures& f) {
  return fmt::format("is {:.4g}, not {:.4g}", f.number("is"), f.number("was"));
}

std::string elements_moved(const Figures& f) {
  return fmt::format("has {} of {} elements in another order", f.count("moved"),
                     f.count("elements"));
}

std::string channels_moved(const Figures& f) {
  return fmt::format("has {} of {} channels in another order ({} stands in place of {})",
                     f.count("moved"), f.count("channels"), f.count("from"), f.count("to"));
}

std::string both_factors(const Figures&) {
  return "has other factors in its input and its output channels";
}

std::string other_numbers(const Figures& f) {
  return fmt::format("holds other numbers ({:.1f} dB, cosine {:.2f})", f.number("sqnr"),
                     f.number("cosine"));
}

std::string nonfinite(const Figures& f) {
  return fmt::format(
      "holds NaN or infinities in {} of {} elements that are finite in the float one",
      f.count("nonfinite"), f.count("elements"));
}

// ---- what an op computes
std::string bounds(const Figures& f) {
  const auto is = f.ends("is"), was = f.ends("was");
  return fmt::format(
      "its bounds are {:.4g} and {:.4g} in the quantized model, not {:.4g} and {:.4g}", is[0],
      is[1], was[0], was[1]);
}

std::string alpha(const Figures& f) {
  return fmt::format(
      "its alpha is {:.4g} in the quantized model, not {:.4g}, and its weight does not make up for "
      "it",
      f.number("is"), f.number("was"));
}

std::string beta(const Figures& f) {
  return fmt::format(
      "its beta is {:.4g} in the quantized model, not {:.4g}, and its bias does not make up for it",
      f.number("is"), f.number("was"));
}

std::string bias_factor(const Figures& f) {
  return fmt::format(
      "its bias counts {:.3g} times as much in the quantized model: QGemm has no beta, which is "
      "{:.4g}, and multiplies the bias by its alpha, {:.4g}",
      f.number("times"), f.number("beta"), f.number("alpha"));
}

std::string attributes(const Figures&) {
  return "its attributes are others in the quantized model: ";
}

/// "[1,2]", "0 throughout", "'same'", "3"
std::string attribute_text(const Figures& f, const std::string& name) {
  if (f.is_text(name)) return "'" + f.text(name) + "'";
  if (!f.is_list(name)) return fmt::format("{}", f.whole(name));
  const std::vector<std::int64_t> list = f.wholes(name);
  if (list.empty()) return fmt::format("{} throughout", f.whole("neutral"));
  return fmt::format("[{}]", fmt::join(list, ","));
}

std::string attribute(const Figures& f) {
  return fmt::format("{} is {}, not {}", f.text("name"), attribute_text(f, "is"),
                     attribute_text(f, "was"));
}

std::string real_attribute(const Figures& f) {
  return fmt::format("{} is {:.4g}, not {:.4g}", f.text("name"), f.number("is"), f.number("was"));
}

/// "[1,2]", or "12 integers" of many.
std::string integers_text(const Figures& f, const std::string& name) {
  return f.is_list(name) ? fmt::format("[{}]", fmt::join(f.wholes(name), ","))
                         : fmt::format("{} integers", f.count(name));
}

std::string integers(const Figures& f) {
  return fmt::format("its input {} is {} in the quantized model, not {}", f.count("input"),
                     integers_text(f, "is"), integers_text(f, "was"));
}

std::string inputs_exchanged(const Figures&) {
  return "its two inputs stand in the other order in the quantized model";
}

std::string inputs_reordered(const Figures&) {
  return "its inputs stand in another order in the quantized model";
}

std::string another_result(const Figures& f) {
  return fmt::format("it reads another result of {} in the quantized model", f.text("op"));
}

std::string another_input(const Figures& f) {
  return fmt::format("it does not read what {} gives in the quantized model", f.text("op"));
}

std::string replaced(const Figures& f) {
  return fmt::format("the quantized model has {} in its place", f.text("type"));
}

std::string no_activation(const Figures& f) {
  const auto codes = f.ends("codes");
  const std::string why =
      f.has("codes") ? fmt::format("the codes there (zero point {}) reach from {:.3g} to {:.3g}",
                                   f.whole("zero_point"), codes[0], codes[1])
                     : "nothing else clips there";
  return fmt::format("the quantized model has no {} behind {}, and {}", f.text("type"),
                     f.text("op"), why);
}

std::string left_out(const Figures& f) {
  return fmt::format("the quantized model leaves it out: {} reads what goes into it",
                     f.has("reader") ? f.text("reader") : "what reads it");
}

std::string left_out_behind(const Figures& f) {
  return fmt::format("the quantized model leaves it out: what reads it reads the result of {}",
                     f.text("op"));
}

std::string weight_of_another(const Figures& f) {
  return fmt::format("its weight in the quantized model is that of {}", f.text("op"));
}

std::string bias_all_zero(const Figures& f) {
  return fmt::format("its bias is 0 in the quantized model, in all {} elements",
                     f.count("elements"));
}

// ---- codes
/// "scale 0.1 and zero point 3"
std::string params_text(const Figures& f, const std::string& name) {
  const std::string channel = name + "_channel";
  return fmt::format("scale {:.6g} and zero point {}{}", f.number(name + "_scale"),
                     f.whole(name + "_zero_point"),
                     f.has(channel) ? fmt::format(" (of channel {})", f.count(channel)) : "");
}

std::string unequal_codes(const Figures& f) {
  std::string by = f.has("reader") ? " by " + f.text("reader") : "";
  if (f.has("other_readers")) by += fmt::format(" and {} more", f.count("other_readers"));
  return fmt::format("its codes are written with {} and read{} with {}", params_text(f, "written"),
                     by, params_text(f, "read"));
}

std::string exchanged_codes(const Figures& f) {
  return fmt::format(
      "{} reads the codes of its two inputs with each other's figures: those written with {} are "
      "read with {}",
      f.text("reader"), params_text(f, "written"), params_text(f, "read"));
}

std::string codes_of_bias(const Figures& f) {
  return fmt::format(
      "its bias has steps of {:.3g}, its input and its weight have {:.3g} together: integer "
      "kernels add the codes of the bias as they are, so that it counts {:.3g} times. The scale of "
      "the bias or that of its input{} is not the one that the file was made with",
      f.number("step"), f.number("product_step"), f.number("times"),
      f.has("input") ? ", the codes of " + f.text("input") + "," : "");
}

std::string and_next(const Figures&) {
  return "; ";
}

constexpr Sentence kChangeSentences[] = {
    {"changed_constant", changed_constant},
    {"changed_constant.beyond_codes", beyond_codes},
    {"constant.zero", zero},
    {"constant.zeros", zeros},
    {"constant.wrapped", wrapped},
    {"constant.few_codes", few_codes},
    {"constant.turned", turned},
    {"constant.signs", signs},
    {"constant.factors", factors},
    {"constant.number", number},
    {"constant.elements_moved", elements_moved},
    {"constant.channels_moved", channels_moved},
    {"constant.both_factors", both_factors},
    {"constant.other_numbers", other_numbers},
    {"constant.nonfinite", nonfinite},
    {"changed_op.bounds", bounds},
    {"changed_op.alpha", alpha},
    {"changed_op.beta", beta},
    {"changed_op.bias_factor", bias_factor},
    {"changed_op.of_attributes", attributes},
    {"changed_op.attribute", attribute},
    {"changed_op.real_attribute", real_attribute},
    {"changed_op.integers", integers},
    {"changed_op.inputs_exchanged", inputs_exchanged},
    {"changed_op.inputs_reordered", inputs_reordered},
    {"changed_op.another_result", another_result},
    {"changed_op.another_input", another_input},
    {"changed_op.replaced", replaced},
    {"changed_op.no_activation", no_activation},
    {"left_out", left_out},
    {"left_out.behind", left_out_behind},
    {"changed_weight.of_another", weight_of_another},
    {"lost_bias.all_zero", bias_all_zero},
    {"unequal_codes", unequal_codes},
    {"unequal_codes.exchanged", exchanged_codes},
    {"unequal_codes.of_bias", codes_of_bias},
    {"and", and_next},
};

}  // namespace

std::span<const Sentence> change_sentences() {
  return kChangeSentences;
}

}  // namespace quantlens
