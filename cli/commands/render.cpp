// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/render.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/error/own_error.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

// "3 values of the reference have no counterpart: a, b, c"
void print_names(const char* one, const char* several, const std::vector<std::string>& names) {
  if (names.empty()) return;
  constexpr std::size_t kShown = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    shown.push_back(printable(names[i]));
  print_out(fmt::format("{} {}: {}{}\n", names.size(), names.size() == 1 ? one : several,
                        fmt::join(shown, ", "),
                        names.size() > kShown ? ", … (all in pairing.json)" : ""));
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

/// Of the ops that make error by themselves; of all where `--local 0` measured none.
std::vector<ActivationRow> makers_of_error(const Diagnosis& diagnosis) {
  if (diagnosis.local_samples == 0) return diagnosis.activations;
  std::vector<ActivationRow> rows;
  std::ranges::copy_if(diagnosis.activations, std::back_inserter(rows), makes_error);
  return rows;
}

// Where error begins; behind that, rows are bad because their inputs are.
void print_drops(const std::vector<ActivationRow>& makers) {
  constexpr double kLeastDb = 6;
  std::vector<std::string> parts;
  for (const ActivationRow* row : greatest(
           makers, kLeastDb, [](const ActivationRow& r) { return r.sqnr_drop_db.value_or(0); })) {
    const double before = row->sqnr_db + *row->sqnr_drop_db;
    const std::string from = std::isfinite(before) ? fmt::format("{:.1f}", before) : "no error";
    parts.push_back(
        fmt::format("{} (from {} to {:.1f} dB)", printable(row->name), from, row->sqnr_db));
  }
  if (!parts.empty()) print_out(fmt::format("SQNR falls most at {}\n", fmt::join(parts, ", ")));
}

// What an op adds itself, without what its rounded inputs make.
void print_own(const std::vector<ActivationRow>& makers) {
  constexpr double kGoodDb = 30;
  const auto own_db = [](const ActivationRow& row) { return -10 * std::log10(own_error(row)); };
  std::vector<std::string> parts;
  for (const ActivationRow* row :
       greatest(makers, -kGoodDb, [&](const ActivationRow& r) { return -own_db(r); })) {
    parts.push_back(fmt::format("{} ({:.1f} dB)", printable(row->name), own_db(*row)));
  }
  if (!parts.empty()) {
    print_out(
        fmt::format("Worst by themselves, SQNR of their own error: {}\n", fmt::join(parts, ", ")));
  }
}

// "2 activations hold NaN or infinities: a (3 of 10 pairs), b (all 10 pairs)"
void print_nonfinite(const std::vector<ActivationRow>& rows) {
  std::vector<std::string> parts;
  for (const ActivationRow& row : rows) {
    if (row.nonfinite == 0) continue;
    const std::string count = row.elements == 0 ? "all" : fmt::format("{} of", row.nonfinite);
    parts.push_back(fmt::format("{} ({} {} pairs)", row.name, count, row.elements + row.nonfinite));
  }
  print_names("activation holds NaN or infinities, which no figure includes",
              "activations hold NaN or infinities, which no figure includes", parts);
}

void print_spreads(const std::vector<WeightRow>& rows) {
  constexpr double kLeastSpread = 8;
  std::vector<std::string> parts;
  for (const WeightRow* row :
       greatest(rows, kLeastSpread, [](const WeightRow& r) { return r.channel_spread; })) {
    parts.push_back(fmt::format("{} ({:.0f} times the median channel, {})", printable(row->name),
                                row->channel_spread, row->granularity));
  }
  if (!parts.empty()) print_out(fmt::format("Widest channels: {}\n", fmt::join(parts, ", ")));
}

}  // namespace

void print_diagnosis(const Diagnosis& diagnosis, const TableOptions& options) {
  options.print(activations_table(diagnosis, options.activation_order()));
  if (options.is_csv()) return;
  const std::vector<ActivationRow> makers = makers_of_error(diagnosis);
  print_drops(makers);
  print_own(makers);
  print_nonfinite(diagnosis.activations);
  if (!diagnosis.weights.empty()) options.print(weights_table(diagnosis));
  print_spreads(diagnosis.weights);
  print_names("value only in the reference", "values only in the reference",
              diagnosis.only_reference);
  print_names("quantized tensor that stands for no value",
              "quantized tensors that stand for no value", diagnosis.only_quantized);
  std::vector<std::string> not_compared;
  for (const NotCompared& value : diagnosis.not_compared) {
    not_compared.push_back(fmt::format("{} ({})", value.value, value.reason));
  }
  print_names("value not compared", "values not compared", not_compared);
  std::vector<std::string> suspects;
  for (const SuspectPair& suspect : diagnosis.suspects) {
    suspects.push_back(fmt::format("{} with {} (correlation {:.2f}, found by {})", suspect.value,
                                   suspect.quantized, suspect.correlation, suspect.found_by));
  }
  print_names("suspect pair, probably wrong and not among the errors",
              "suspect pairs, probably wrong and not among the errors", suspects);
  print_out(findings_text(diagnosis));
}

boost::json::object accuracy_object(const Accuracy& accuracy) {
  return json::encode(accuracy).as_object();
}

void print_object(const boost::json::object& object) {
  print_out(json::dump(object));
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-+,:=@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace quantlens::cli
