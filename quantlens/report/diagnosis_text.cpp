// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/diagnosis_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/record/own_error.h"
#include "quantlens/report/findings_markdown.h"

namespace quantlens {
namespace {

// "3 values of the reference have no counterpart: a, b, c"
std::string names_text(const char* one, const char* several,
                       const std::vector<std::string>& names) {
  if (names.empty()) return {};
  constexpr std::size_t kShown = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    shown.push_back(printable(names[i]));
  return fmt::format("{} {}: {}{}\n", names.size(), names.size() == 1 ? one : several,
                     fmt::join(shown, ", "),
                     names.size() > kShown ? ", … (all in pairing.json)" : "");
}

/// The rows with the greatest figures of at least `least`, worst first, three at most.
template <class Row, class Figure>
std::vector<const Row*> greatest(const std::vector<Row>& rows, double least, Figure&& figure) {
  constexpr std::size_t kShown = 3;
  std::vector<const Row*> found;
  for (const Row& row : rows) {
    if (figure(row) >= least) found.push_back(&row);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [&](const Row* r) { return figure(*r); });
  if (found.size() > kShown) found.resize(kShown);
  return found;
}

/// The ops that make error by themselves; all where `--local 0` measured none.
struct Makers {
  std::vector<ActivationRow> rows;
  bool are_all = false;
};

Makers makers_of_error(const Diagnosis& diagnosis) {
  if (diagnosis.local_samples == 0) return {.rows = diagnosis.activations, .are_all = true};
  Makers makers;
  std::ranges::copy_if(diagnosis.activations, std::back_inserter(makers.rows), makes_error);
  return makers;
}

// Where error begins; behind that, rows are bad because their inputs are.
std::string drops_text(const Makers& makers) {
  constexpr double kLeastDb = 6;
  std::vector<std::string> parts;
  for (const ActivationRow* row : greatest(makers.rows, kLeastDb, [](const ActivationRow& r) {
         return r.sqnr_drop_db.value_or(0);
       })) {
    const double before = row->sqnr_db + *row->sqnr_drop_db;
    const std::string from = std::isfinite(before) ? fmt::format("{:.1f}", before) : "no error";
    parts.push_back(
        fmt::format("{} (from {} to {:.1f} dB)", printable(row->op.name), from, row->sqnr_db));
  }
  if (parts.empty()) return {};
  return fmt::format("{} falls most at {}\n",
                     makers.are_all ? "SQNR" : "Among ops that make error themselves, SQNR",
                     fmt::join(parts, ", "));
}

// What an op adds itself, without what its rounded inputs make.
std::string own_text(const std::vector<ActivationRow>& makers) {
  constexpr double kGoodDb = 30;
  const auto own_db = [](const ActivationRow& row) { return -10 * std::log10(own_error(row)); };
  std::vector<std::string> parts;
  for (const ActivationRow* row :
       greatest(makers, -kGoodDb, [&](const ActivationRow& r) { return -own_db(r); })) {
    parts.push_back(fmt::format("{} ({:.1f} dB)", printable(row->op.name), own_db(*row)));
  }
  if (parts.empty()) return {};
  return fmt::format("Worst by themselves, SQNR of their own error: {}\n", fmt::join(parts, ", "));
}

// "2 activations hold NaN or infinities: a (3 of 10 pairs), b (all 10 pairs)"
std::string nonfinite_text(const std::vector<ActivationRow>& rows) {
  std::vector<std::string> parts;
  for (const ActivationRow& row : rows) {
    if (row.nonfinite == 0) continue;
    const std::string count = row.elements == 0 ? "all" : fmt::format("{} of", row.nonfinite);
    parts.push_back(
        fmt::format("{} ({} {} pairs)", row.op.name, count, row.elements + row.nonfinite));
  }
  return names_text("activation holds NaN or infinities, which no figure includes",
                    "activations hold NaN or infinities, which no figure includes", parts);
}

std::string spreads_text(const std::vector<WeightRow>& rows) {
  constexpr double kLeastSpread = 8;
  std::vector<std::string> parts;
  for (const WeightRow* row :
       greatest(rows, kLeastSpread, [](const WeightRow& r) { return r.channel_spread; })) {
    parts.push_back(fmt::format("{} ({:.0f} times the median channel, {})", printable(row->op.name),
                                row->channel_spread, word(row->granularity)));
  }
  if (parts.empty()) return {};
  return fmt::format("Widest channels: {}\n", fmt::join(parts, ", "));
}

/// What could not be paired, and pairs that look wrong.
std::string leftovers_text(const Diagnosis& diagnosis) {
  std::string text = names_text("value only in the reference", "values only in the reference",
                                diagnosis.only_reference);
  text += names_text("quantized tensor that stands for no value",
                     "quantized tensors that stand for no value", diagnosis.only_quantized);
  std::vector<std::string> not_compared;
  for (const NotCompared& value : diagnosis.not_compared) {
    not_compared.push_back(fmt::format("{} ({})", value.value, value.reason));
  }
  text += names_text("value not compared", "values not compared", not_compared);
  std::vector<std::string> suspects;
  for (const SuspectPair& suspect : diagnosis.suspects) {
    suspects.push_back(fmt::format("{} with {} (correlation {:.2f}, found by {})", suspect.value,
                                   suspect.quantized, suspect.correlation, word(suspect.found_by)));
  }
  text += names_text("suspect pair, probably wrong and not among the errors",
                     "suspect pairs, probably wrong and not among the errors", suspects);
  return text;
}

}  // namespace

std::string compared_text(const Diagnosis& diagnosis, const RunView& view) {
  const Makers makers = makers_of_error(diagnosis);
  std::string text =
      shown(activations_table(diagnosis, view.order), view) +
      told(drops_text(makers) + own_text(makers.rows) + nonfinite_text(diagnosis.activations),
           view);
  if (!diagnosis.weights.empty()) text += shown(weights_table(diagnosis), view);
  return text + told(spreads_text(diagnosis.weights) + leftovers_text(diagnosis), view);
}

std::string diagnosis_text(const Diagnosis& diagnosis, const RunView& view) {
  const std::string compared = compared_text(diagnosis, view);
  if (!view.markdown) return compared + findings_text(diagnosis);
  return findings_markdown(diagnosis.findings, rows_of(view)) + compared;
}

}  // namespace quantlens
