// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

std::string nothing_compared(const Figures&) {
  return "Nothing was compared.";
}

std::string caveat(const Figures& f) {
  return f.text("text") + " ";
}

// ---- what is lost
std::string no_output(const Figures& f) {
  if (!f.has("worst_activation")) return "No output was compared.";
  return fmt::format("No output was compared; the worst activation keeps {:.1f} dB of SQNR.",
                     f.number("worst_activation"));
}

std::string nonfinite_verdict(const Figures& f) {
  const double part = f.number("part");
  if (part >= 1) return "An output holds nothing but NaN and infinities.";
  return fmt::format("{} % of an output are NaN or infinities.", percent_text(part));
}

std::string loss(const Figures& f) {
  const char* subject = f.text("outputs") == "all" ? "The outputs" : "The compared outputs";
  const double sqnr_db = f.number("sqnr");
  if (std::isinf(sqnr_db) && sqnr_db > 0) return fmt::format("{} are equal.", subject);
  const char* how_much = "most of their signal is kept";
  if (sqnr_db < 20) how_much = "some of their signal is lost";
  if (sqnr_db < 10) how_much = "much of their signal is lost";
  if (sqnr_db < 3) how_much = "more than half of their signal is lost";
  if (sqnr_db < 0) how_much = "their error is greater than their signal";
  return fmt::format("{} keep {:.1f} dB of SQNR: {}.", subject, sqnr_db, how_much);
}

/// " 1 of 2 outputs was not compared: prob."
std::string outputs_left_out(const Figures& f) {
  const std::vector<std::string> left = f.texts("outputs");
  const auto [names, unnamed] = first_names(left);
  return fmt::format(" {} of {} outputs{} {} not compared: {}{}.", left.size(),
                     f.count("of_floats"),
                     f.count("of_floats") == f.count("of") ? "" : " of floats",
                     left.size() == 1 ? "was" : "were", names, unnamed > 0 ? ", …" : "");
}

// ---- what comes before shares
std::string files_differ(const Figures& f) {
  return fmt::format(" The two files differ at {}: ", f.shown("op"));
}

std::string mend_first(const Figures&) {
  return " Mend that before all else.";
}

std::string at_op(const Figures& f) {
  return fmt::format(" {}: ", f.shown("op"));
}

std::string no_local_errors(const Figures&) {
  return " Where it begins is not known without local errors.";
}

// ---- shares
double share_in(const Figures& f) {
  return f.number(f.has("measured") ? "measured" : "estimated");
}

/// "measured over 16 samples"; an estimate is of all.
std::string how(const Figures& f) {
  if (!f.has("measured")) return "estimated";
  return f.has("samples") ? "measured over " + counted(f.count("samples"), "sample") : "measured";
}

std::string interval_in(const Figures& f) {
  const auto [low, high] = f.ends("interval");
  return fmt::format("{} to {}", whole_percent(low), whole_percent(high));
}

/// "Add_11", or "6 ops together (3 MatMul, 2 Mul, 1 Add)": whose share it is.
std::string place_in(const Figures& f) {
  if (f.has("readers")) {
    const std::uint64_t readers = f.count("readers");
    return fmt::format("{} and the {} it", f.shown("op"),
                       readers == 1 ? "op that reads" : fmt::format("{} ops that read", readers));
  }
  if (!f.has("ops")) return f.shown("op");
  std::vector<std::string> types;
  for (const auto& [type, count] : f.counts("types")) {
    types.push_back(fmt::format("{} {}", count, printable(type)));
  }
  return fmt::format("{} together{}", counted(f.count("ops"), "op"),
                     types.empty() ? "" : fmt::format(" ({})", fmt::join(types, ", ")));
}

/// What is known of the first op among its others.
std::string lead_in(const Figures& f) {
  if (!f.has("first_is")) return {};
  return fmt::format(
      "{} {}", f.text("first_is") == "greatest" ? ". Most of it, by estimate, at" : ", among them",
      f.shown("op"));
}

/// "65 % (47 to 83, measured) of the error begins at Add_11: "
std::string share_begins(const Figures& f) {
  return fmt::format(" {:.0f} % ({}, {}) of the error begins at {}{}: ", 100 * share_in(f),
                     interval_in(f), how(f), place_in(f), lead_in(f));
}

/// Of what may take none away.
std::string share_in_float(const Figures& f) {
  constexpr double kNothing = 0.005;  // what is told as 0 %
  const std::string place = place_in(f), lead = lead_in(f);
  if (share_in(f) >= kNothing) {
    return fmt::format(" {:.0f} % ({}, {}) of the error would be gone with {} in float{}: ",
                       100 * share_in(f), interval_in(f), how(f), place, lead);
  }
  if (f.ends("interval")[1] <= 0) {
    return fmt::format(" None of the error is gone with {} in float ({} %, {}){}: ", place,
                       interval_in(f), how(f), lead);
  }
  return fmt::format(" With {} in float no gain can be told ({} % of the error gone, {}){}: ",
                     place, interval_in(f), how(f), lead);
}

std::string as_much_begins(const Figures& f) {
  return fmt::format(" As much may begin at {}, {:.0f} % ({}): ", place_in(f), 100 * share_in(f),
                     how(f));
}

std::string as_much_in_float(const Figures& f) {
  return fmt::format(" As much may be gone with {} in float, {:.0f} % ({}): ", place_in(f),
                     100 * share_in(f), how(f));
}

std::string unknown_share(const Figures& f) {
  return fmt::format("; {:.0f} % of the error passes through values that were not compared",
                     f.percent("share"));
}

std::string none_takes_much(const Figures&) {
  return " No op that was tried_all alone takes much of it away.";
}

std::string unexplained_by_itself(const Figures& f) {
  return fmt::format(
      " By itself, {} has an error ({:.1f} dB) that no rounding explains, the greatest of this "
      "kind.",
      f.shown("op"), f.number("own_sqnr"));
}

// ---- remedies that were tried_all
std::string share_was_of(const Figures& f) {
  return fmt::format(" Shares are of the first {}, in float within the model as it is.",
                     counted(f.count("samples"), "sample"));
}

std::string gain_in(const Figures& f) {
  const auto [low, high] = f.ends("interval");
  const double gain = f.number("gain");
  if (low <= 0 && high >= 0) {
    return fmt::format("no error away that these samples could tell ({} to {} %)",
                       whole_percent(low), whole_percent(high));
  }
  if (gain < 0) {
    return fmt::format("nothing away: there is {} % more error ({} to {})", whole_percent(-gain),
                       whole_percent(-high), whole_percent(-low));
  }
  return fmt::format("{} % ({} to {}) of the error away", whole_percent(gain), whole_percent(low),
                     whole_percent(high));
}

std::string tried_all(const Figures& f) {
  const std::uint64_t remedies = f.count("remedies");
  const std::string which =
      remedies == 1
          ? fmt::format("the remedy at {} takes", f.shown("op"))
          : fmt::format("{} remedies together, that at {} first, take", remedies, f.shown("op"));
  return fmt::format(" Tried over all {} samples, {} {}.", f.count("samples"), which, gain_in(f));
}

// ---- between sentences
std::string nothing(const Figures&) {
  return {};
}

std::string end(const Figures&) {
  return ".";
}

std::string next(const Figures&) {
  return ". ";
}

constexpr Sentence kVerdictSentences[] = {
    {"nothing_compared", nothing_compared},
    {"caveat", caveat},
    {"loss.no_output", no_output},
    {"loss.nonfinite", nonfinite_verdict},
    {"loss", loss},
    {"outputs_left_out", outputs_left_out},
    {"files_differ", files_differ},
    {"mend_first", mend_first},
    {"at_op", at_op},
    {"no_local_errors", no_local_errors},
    {"share.begins", share_begins},
    {"share.in_float", share_in_float},
    {"as_much.begins", as_much_begins},
    {"as_much.in_float", as_much_in_float},
    {"unknown_share", unknown_share},
    {"none_takes_much", none_takes_much},
    {"unexplained_by_itself", unexplained_by_itself},
    {"share_was_of", share_was_of},
    {"tried", tried_all},
    {"begin", nothing},
    {"end", end},
    {"next", next},
};

}  // namespace

std::span<const Sentence> verdict_sentences() {
  return kVerdictSentences;
}

}  // namespace quantlens
