// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

std::string compare_same_run(const Figures&) {
  return "A and B are one run, so there is no difference.";
}

std::string compare_alike(const Figures&) {
  return "No difference: what both runs measured is the same.";
}

std::string compare_nothing(const Figures&) {
  return "Nothing can be set against each other: no activation, no accuracy and no time is there "
         "in both.";
}

std::string compare_accuracy(const Figures& f) {
  const double a = f.number("a"), b = f.number("b"), difference = f.number("difference");
  const double size = std::max(std::abs(a), std::abs(b));
  const std::string verdict = f.text("verdict");
  const char* what = "is not known to be another";
  if (verdict == "worse") what = "is worse";
  if (verdict == "better") what = "is better";
  if (verdict == "equal") what = "is the same";
  if (verdict == "undecided") what = "is not told apart";
  std::string interval;
  if (f.has("interval")) {
    const auto [low, high] = f.ends("interval");
    interval = fmt::format(", 95 %: {} to {}", figure_text(low, size), figure_text(high, size));
  }
  return fmt::format("B's accuracy {}: {} {} in A, {} in B ({}{}{}). ", what, f.shown("metric"),
                     figure_text(a, size), figure_text(b, size), difference > 0 ? "+" : "",
                     figure_text(difference, size), interval);
}

std::string lost_text(double loss) {
  return loss < 0 ? "gains " + change_text(-loss) : "loses " + change_text(loss);
}

std::string compare_references(const Figures& f) {
  const double a = f.number("a"), b = f.number("b"), size = std::max(std::abs(a), std::abs(b));
  return fmt::format(
      "What they were held against scored {} in A and {} in B: A {} of it and B {}. ",
      figure_text(a, size), figure_text(b, size), lost_text(f.number("lost_a")),
      lost_text(f.number("lost_b")));
}

/// "3 are worse in B and 2 better"
std::string told_in(const Figures& f) {
  const std::uint64_t worse = f.count("worse"), better = f.count("better");
  if (worse + better == 0) return "none is told as better or worse in B";
  return fmt::format("{} {} worse in B and {} better", worse, worse == 1 ? "is" : "are", better);
}

std::string compare_ops(const Figures& f) {
  std::string text = fmt::format("Of {} that both runs compared, {}",
                                 counted(f.count("of"), "activation"), told_in(f));
  if (const std::uint64_t equal = f.count("equal"); equal > 0)
    text += fmt::format(", {} {} equal", equal, equal == 1 ? "is" : "are");
  if (const std::uint64_t open = f.count("undecided"); open > 0)
    text += fmt::format(", and the samples cannot tell of {}", open);
  return text + ".";
}

std::string decibels_text(double value) {
  return std::isinf(value) && value > 0 ? "all" : fmt::format("{:.1f}", value);
}

std::string by_db(const Figures& f) {
  std::string text = fmt::format("{:+.1f} dB", f.number("difference"));
  if (f.has("interval")) {
    const auto [low, high] = f.ends("interval");
    text += fmt::format(", 95 %: {:.1f} to {:.1f}", low, high);
  }
  return text;
}

std::string compare_output(const Figures& f) {
  const std::string verdict = f.text("verdict");
  const char* told = "not told apart";
  if (verdict == "worse") told = "worse";
  if (verdict == "better") told = "better";
  if (verdict == "equal") told = "equal";
  const std::string which = f.count("of") == 1
                                ? fmt::format("The output {}", f.shown("op"))
                                : fmt::format("Of {} outputs, {}", f.count("of"), f.shown("op"));
  return fmt::format("{} keeps {} dB of SQNR in A and {} in B: {} ({}). ", which,
                     decibels_text(f.number("a")), decibels_text(f.number("b")), told, by_db(f));
}

std::string compare_nonfinite(const Figures& f) {
  const std::uint64_t ops = f.count("ops");
  return fmt::format("In {} {} {} NaN or infinite where the float model and {} have numbers{}{}. ",
                     f.text("which"), counted(ops, "activation"), ops == 1 ? "is" : "are",
                     f.text("which") == "A" ? "B" : "A", ops == 1 ? ": " : ", first ",
                     f.shown("op"));
}

std::string compare_worst(const Figures& f) {
  return fmt::format(" Most is lost at {} ({}).", f.shown("op"), by_db(f));
}

std::string compare_best(const Figures& f) {
  return fmt::format(" Most is gained at {} ({}).", f.shown("op"), by_db(f));
}

std::string compare_int8(const Figures& f) {
  return fmt::format(" In int8 are {} of {} in A and {} of {} in B.", f.count("a"),
                     counted(f.count("of_a"), "op"), f.count("b"), f.count("of_b"));
}

std::string compare_findings(const Figures& f) {
  return fmt::format(" Findings: {} new, {} gone, {} changed.", f.count("new"), f.count("gone"),
                     f.count("changed"));
}

std::string compare_time(const Figures& f) {
  std::string interval;
  if (f.has("interval")) {
    const auto [low, high] = f.ends("interval");
    interval = fmt::format(" ({:.2f} to {:.2f})", low, high);
  }
  return fmt::format(
      " A run of {} takes {:.2f}{} of A's time in B; the two were not timed in turn.",
      f.text("model"), f.number("ratio"), interval);
}

// ---- what may not be set against each other
std::string compare_failed(const Figures& f) {
  return fmt::format("{} did not succeed: {}. ", f.text("which"), f.shown("message"));
}

std::string compare_not_diagnosed(const Figures& f) {
  return fmt::format("{} has no diagnosis, so no activations and no findings are compared. ",
                     f.text("which"));
}

std::string compare_none_diagnosed(const Figures&) {
  return "Neither run has a diagnosis, so no activations and no findings are compared. ";
}

std::string compare_same_models(const Figures&) {
  return "A and B hold the same two files, so what differs comes from the data or from how they "
         "were run: no model is better or worse than the other. ";
}

std::string compare_crossed(const Figures&) {
  return "One of the runs is of the quantized model of the other one alone. ";
}

std::string compare_other_verb(const Figures& f) {
  return fmt::format("A is of '{}' and B of '{}', which do not store the same. ", f.shown("a"),
                     f.shown("b"));
}

std::string compare_other_reference(const Figures& f) {
  if (f.count("matched") + f.count("only_a") + f.count("only_b") == 0)
    return "The float models are two files. ";
  if (f.count("matched") == 0) {
    return "The float models are two networks: no op of one is surely one of the other, so no "
           "activation and no finding can be set against another. ";
  }
  std::string text = fmt::format(
      "The float models are two files: {} matched by structure or name",
      f.count("matched") == 1 ? "1 op is" : fmt::format("{} ops are", f.count("matched")));
  if (f.count("only_a") + f.count("only_b") > 0)
    text += fmt::format("; {} of A and {} of B have no certain partner and are left out",
                        f.count("only_a"), f.count("only_b"));
  return text + ". ";
}

std::string compare_other_data(const Figures& f) {
  return fmt::format(
      "The data are not the same ({} in A, {} in B), so intervals of ops are those of independent "
      "samples: wider, and blind to what the data themselves change. ",
      counted(f.count("a"), "sample"), counted(f.count("b"), "sample"));
}

std::string compare_other_samples(const Figures& f) {
  return fmt::format(
      "A looked at {} and B at {} of the data, so intervals of ops are those of independent "
      "samples. ",
      counted(f.count("a"), "sample"), f.count("b"));
}

std::string compare_no_intervals(const Figures& f) {
  return fmt::format(
      "Of {} the difference has no interval, so it is not told as better or worse: fewer than "
      "three blocks of samples tell, a figure is at the end of its scale, or the sums of the "
      "blocks are not stored. ",
      counted(f.count("ops"), "activation"));
}

std::string compare_other_metric(const Figures& f) {
  return fmt::format("Accuracies are of two metrics ({} in A, {} in B) and are not subtracted. ",
                     f.shown("a"), f.shown("b"));
}

std::string compare_accuracy_unpaired(const Figures&) {
  return "The interval of the accuracies' difference is made as if their samples were independent; "
         "a paired one would be narrower. ";
}

std::string compare_accuracy_bounds(const Figures&) {
  return "Not all samples that the models answer otherwise are stored, so the interval of the "
         "accuracies' difference is the widest that their numbers leave room for. ";
}

constexpr Sentence kComparisonSentences[] = {
    {"compare.same_run", compare_same_run},
    {"compare.alike", compare_alike},
    {"compare.nothing", compare_nothing},
    {"compare.accuracy", compare_accuracy},
    {"compare.references", compare_references},
    {"compare.output", compare_output},
    {"compare.nonfinite", compare_nonfinite},
    {"compare.ops", compare_ops},
    {"compare.worst", compare_worst},
    {"compare.best", compare_best},
    {"compare.int8", compare_int8},
    {"compare.findings", compare_findings},
    {"compare.time", compare_time},
    {"compare.failed", compare_failed},
    {"compare.not_diagnosed", compare_not_diagnosed},
    {"compare.none_diagnosed", compare_none_diagnosed},
    {"compare.same_models", compare_same_models},
    {"compare.crossed", compare_crossed},
    {"compare.other_verb", compare_other_verb},
    {"compare.other_reference", compare_other_reference},
    {"compare.other_data", compare_other_data},
    {"compare.other_samples", compare_other_samples},
    {"compare.no_intervals", compare_no_intervals},
    {"compare.other_metric", compare_other_metric},
    {"compare.accuracy_unpaired", compare_accuracy_unpaired},
    {"compare.accuracy_bounds", compare_accuracy_bounds},
};

}  // namespace

std::span<const Sentence> comparison_sentences() {
  return kComparisonSentences;
}

}  // namespace quantlens
