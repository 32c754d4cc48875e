// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

std::string nonfinite_constants(const Figures& f) {
  const std::uint64_t others = f.count("other_ops");
  return fmt::format(
      "the float model's constants hold NaN or infinities, {} of {} elements here{}; comparisons "
      "of constants leave them out",
      f.count("nonfinite"), f.count("elements"),
      others == 0 ? "" : fmt::format(", some at {} too", counted(others, "other op")));
}

std::string nonfinite_activations(const Figures& f) {
  const std::uint64_t activations = f.count("activations");
  const bool is_one = activations == 1;
  return fmt::format("{} {} NaN or infinities{}: {} of its {} pairs; no figure includes them",
                     counted(activations, "activation"), is_one ? "holds" : "hold",
                     is_one ? "" : ", this one first", f.count("nonfinite"), f.count("pairs"));
}

std::string nonfinite_became(const Figures& f) {
  const std::uint64_t activations = f.count("activations");
  return fmt::format(
      "{} {} NaN or infinite where the float model's {} not{}: {} of its {} pairs; no figure "
      "includes them",
      counted(activations, "activation"), activations == 1 ? "is" : "are",
      activations == 1 ? "is" : "are", activations == 1 ? "" : ", this one first",
      f.count("nonfinite"), f.count("pairs"));
}

std::string nonfinite_of_output(const Figures& f) {
  return fmt::format("; of an output they are {} %", percent_text(f.number("part")));
}

std::string nonfinite_scale(const Figures& f) {
  const double scale = f.number("scale");
  const std::uint64_t others = f.count("other_tensors");
  return fmt::format(
      "its codes {} have a scale of {}, so {}{}. Ranges of infinities, NaN or nothing but 0 lead "
      "to such scales: quantize again without them, or leave the op in float",
      f.shown("codes"), scale, scale == 0 ? "all of them mean 0" : "they mean no numbers",
      others == 0 ? "" : fmt::format("; so do those of {}", counted(others, "other tensor")));
}

std::string unlike_data(const Figures& f) {
  const auto data = f.ends("data"), codes = f.ends("codes");
  return fmt::format(
      "the data are {:.3g} to {:.3g} {}, the codes that calibration chose reach from {:.3g} to "
      "{:.3g}: {:.0f} % of them are used, and {} % of the data are clipped. ",
      data[0], data[1], f.has("behind") ? "behind " + f.shown("behind") : "here", codes[0],
      codes[1], f.percent("used"), percent_text(f.number("clipped")));
}

constexpr const char* kPreparedOtherwise =
    "prepared otherwise (scale, mean, order of channels) than for calibration, or than the float "
    "model wants them";

std::string prepared_otherwise(const Figures&) {
  return fmt::format("They may be {}", kPreparedOtherwise);
}

std::string clips_on_purpose(const Figures& f) {
  return fmt::format(
      "The recipe's algorithm, {}, clips on purpose; such a figure is also that of data {}",
      f.text("algorithm"), kPreparedOtherwise);
}

std::string may_clip_on_purpose(const Figures&) {
  return fmt::format("They may be {}; algorithms other than minmax also clip on purpose",
                     kPreparedOtherwise);
}

std::string accumulation(const Figures& f) {
  return fmt::format(
      "no op stands out: {} of {} together begin {:.0f} % of the error, this one most with {:.1f} "
      "%",
      f.count("ops"), f.count("of"), f.percent("together"), f.percent("greatest"));
}

std::string float_islands(const Figures& f) {
  std::vector<std::string> parts;
  for (const auto& [type, count] : f.counts("types")) {
    parts.push_back(fmt::format("{} {}", count, type));
  }
  return fmt::format("float ops between integer ones convert on both sides, which costs time: {}",
                     fmt::join(parts, ", "));
}

std::string dead_channels(const Figures& f) {
  const std::uint64_t dead = f.count("dead");
  return fmt::format("{} of its {} {} only weights of zero and can be pruned", dead,
                     counted(f.count("channels"), "channel"), dead == 1 ? "has" : "have");
}

std::string shifted_codes(const Figures& f) {
  return fmt::format(
      "the zero point of its codes is {:.0f}, that of {} of the file's {} other values which {} is "
      "{:.0f}: ",
      f.number("zero_point"), f.count("usual_of"), f.count("other_values"),
      f.text("kind") == "never negative" ? "are never negative" : "lie unevenly around 0",
      f.number("usual_zero_point"));
}

std::string cut_in_channels(const Figures& f) {
  return fmt::format(
      "{} % of its values are cut off above its codes while {} codes below 0 are never used",
      percent_text(f.number("clipped")), f.count("unused"));
}

std::string cut(const Figures& f) {
  const auto codes = f.ends("codes"), values = f.ends("values");
  const bool is_above = f.text("side") == "above";
  return fmt::format(
      "its codes reach from {:.3g} to {:.3g}, its values from {:.3g} to {:.3g}, so that {:.0f} "
      "steps are cut off {} them while {:.0f} codes {} them are never used; with zero point "
      "{:.0f}, {:.0f} would be cut off",
      codes[0], codes[1], values[0], values[1], f.number("cut"), is_above ? "above" : "below",
      f.number("unused"), is_above ? "below" : "above", f.number("usual_zero_point"),
      f.number("usual_cut"));
}

constexpr Sentence kModelSentences[] = {
    {"shifted_codes", shifted_codes},
    {"shifted_codes.cut", cut},
    {"shifted_codes.cut_in_channels", cut_in_channels},
    {"nonfinite.constants", nonfinite_constants},
    {"nonfinite.activations", nonfinite_activations},
    {"nonfinite.became", nonfinite_became},
    {"nonfinite.of_output", nonfinite_of_output},
    {"nonfinite.scale", nonfinite_scale},
    {"unlike_data", unlike_data},
    {"unlike_data.prepared_otherwise", prepared_otherwise},
    {"unlike_data.clips_on_purpose", clips_on_purpose},
    {"unlike_data.may_clip_on_purpose", may_clip_on_purpose},
    {"accumulation", accumulation},
    {"float_islands", float_islands},
    {"dead_channels", dead_channels},
};

}  // namespace

std::span<const Sentence> model_sentences() {
  return kModelSentences;
}

}  // namespace quantlens
