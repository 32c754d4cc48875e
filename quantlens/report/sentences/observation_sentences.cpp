// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

/// "a, b, c and 2 more"
std::string names_in(const std::vector<std::string>& ops) {
  const auto [names, left_out] = first_names(ops);
  return left_out == 0 ? names : fmt::format("{} and {} more", names, left_out);
}

std::string in_decibels(double value) {
  if (std::isfinite(value)) return fmt::format("{:.1f} dB", value);
  return value > 0 ? "all (no error)" : "nothing (not finite)";
}

std::string losses(const Figures& f) {
  return fmt::format(
      ": the outputs of the first samples keep {} of SQNR as the file is deployed, and would be "
      "told as {}",
      in_decibels(f.number("deployed")), in_decibels(f.number("observed")));
}

std::string unseen(const Figures& f) {
  const std::vector<std::string> ops = f.texts("ops"), nodes = f.texts("inside");
  return fmt::format("the runtime computes {} {}, when nobody looks at {}", names_in(ops),
                     nodes.empty() ? "in another way, fused with neighbours"
                                   : fmt::format("inside {}", fmt::join(nodes, " and ")),
                     ops.size() == 1 ? "its result" : "their results");
}

std::string makes_weight(const Figures&) {
  return ", by an int8 weight that it makes of the float one by itself";
}

const char* results_of(const Figures& f) {
  return f.count("ops") == 1 ? "that result is" : "these results are";
}

std::string nearly_the_same(const Figures& f) {
  return fmt::format("; that changes nearly nothing of the outputs, but {} not compared",
                     results_of(f));
}

std::string not_compared(const Figures& f) {
  return fmt::format("; all figures are of the file as it is deployed, and {} not compared",
                     results_of(f));
}

std::string neither_compared(const Figures& f) {
  return fmt::format("; so are those of {}, which were not tried one by one",
                     names_in(f.texts("ops")));
}

constexpr const char* kWhereItIsTooMuch = ". Where that loss is too much, ";

std::string fold_constants(const Figures&) {
  return fmt::format(
      "{}fold the constants behind the op into its weight and quantize that: `quantlens quantize` "
      "does so with the float model",
      kWhereItIsTooMuch);
}

std::string quantize_anew(const Figures&) {
  return fmt::format(
      "{}quantize the float model with `quantlens quantize`, which reads back what the runtime "
      "makes of its file, or switch that optimisation off in the session",
      kWhereItIsTooMuch);
}

std::string untried(const Figures& f) {
  return fmt::format("looking at some results of {} changes what the runtime computes",
                     names_in(f.texts("ops")));
}

std::string none_compared(const Figures&) {
  return "; which ones was not found in the tries that there are, so none of these is compared";
}

std::string apart(const Figures&) {
  return "run beside the float model in one session, the quantized one computes something else";
}

std::string run_apart(const Figures&) {
  return "; so they were run apart, and all figures are of the file as it is deployed: nothing is "
         "to be done";
}

std::string unsteady(const Figures&) {
  return "however its values are looked at, the quantized model's outputs are not those of the "
         "bare file: figures of values inside are of a model that computes something else. Trust "
         "the accuracy, and what `quantlens evaluate` says of the file";
}

constexpr const char* kOfReference =
    " when its values are looked at: figures are of a float model that computes a little "
    "differently, and what separates it from the file is in them, too";

std::string other_elements(const Figures& f) {
  const std::uint64_t elements = f.count("elements");
  return fmt::format("{} of the float model's outputs {} than its file gives{}",
                     counted(elements, "element"), elements == 1 ? "is another" : "are others",
                     kOfReference);
}

std::string reference(const Figures& f) {
  return fmt::format("the float model's outputs keep {} of those that its file gives{}",
                     in_decibels(f.number("sqnr")), kOfReference);
}

constexpr Sentence kObservationSentences[] = {
    {"observation.losses", losses},
    {"observation.unseen", unseen},
    {"observation.makes_weight", makes_weight},
    {"observation.nearly_the_same", nearly_the_same},
    {"observation.not_compared", not_compared},
    {"observation.neither_compared", neither_compared},
    {"observation.fold_constants", fold_constants},
    {"observation.quantize_anew", quantize_anew},
    {"observation.untried", untried},
    {"observation.none_compared", none_compared},
    {"observation.apart", apart},
    {"observation.run_apart", run_apart},
    {"observation.unsteady", unsteady},
    {"observation.other_elements", other_elements},
    {"observation.reference", reference},
};

}  // namespace

std::span<const Sentence> observation_sentences() {
  return kObservationSentences;
}

}  // namespace quantlens
