// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/percent.h"
#include "quantlens/base/text.h"
#include "quantlens/report/cell.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr std::size_t kFlipsListed = 10;

std::string interval_text(const std::optional<std::array<double, 2>>& interval, bool is_rate) {
  if (!interval) return "n/a";
  const auto [low, high] = *interval;
  const double size = is_rate ? 1 : std::max(std::abs(low), std::abs(high));
  return fmt::format("[{}, {}]", figure_text(low, size), figure_text(high, size));
}

std::string interval_text(const Accuracy& accuracy) {
  return interval_text(accuracy.interval, accuracy.is_rate);
}

/// ", lower is better" where people would think otherwise.
std::string direction_text(const Accuracy& accuracy) {
  return accuracy.higher_is_better ? "" : ", lower is better";
}

/// "Flipped samples: a.png (lost, label 3: 3 -> 7), ..."; nothing where there are none.
std::string flips_text(const AccuracyRecord& accuracy) {
  if (accuracy.flips.empty()) return {};
  const std::size_t listed = std::min(accuracy.flips.size(), kFlipsListed);
  std::string text = "Flipped samples (reference -> quantized):";
  for (std::size_t i = 0; i < listed; ++i) {
    const Flip& flip = accuracy.flips[i];
    text +=
        fmt::format(" {} ({}, label {}: {} -> {}){}", printable(flip.name), word(flip.direction),
                    flip.label, flip.reference, flip.other, i + 1 < listed ? "," : "");
  }
  const std::uint64_t all = accuracy.lost + accuracy.gained;
  if (all > listed) {
    text +=
        fmt::format("; {} more, see accuracy.json in the workload or --output json", all - listed);
  }
  return text + "\n";
}

/// "[-4.1, -0.8] points, 18 answers lost, 6 gained", or the interval alone where no answer is right
/// or wrong.
std::string difference_text(const AccuracyRecord& accuracy) {
  if (!accuracy.quantized.is_rate || !accuracy.difference_interval) {
    return interval_text(accuracy.difference_interval, false);
  }
  const auto& [low, high] = *accuracy.difference_interval;
  return fmt::format("[{:.1f}, {:.1f}] points, {} lost, {} gained", 100 * low, 100 * high,
                     counted(accuracy.lost, "answer"), accuracy.gained);
}

/// ", 500 samples"; nothing of a program's figure, which has its own.
std::string samples_text(const Accuracy& accuracy) {
  return accuracy.samples == 0 ? "" : fmt::format(", {}", counted(accuracy.samples, "sample"));
}

std::vector<Cell> row_of(const std::string& name, const Accuracy& accuracy) {
  const auto end_of = [&](std::size_t end) {
    return accuracy.interval ? Cell((*accuracy.interval)[end]) : Cell();
  };
  return {name,      accuracy.metric, accuracy.value,
          end_of(0), end_of(1),       static_cast<std::int64_t>(accuracy.samples)};
}

}  // namespace

std::string accuracy_text(const Accuracy& accuracy) {
  return fmt::format("{}: {}{}, 95 % interval {}{}\n", printable(accuracy.metric),
                     figure_text(accuracy), direction_text(accuracy), interval_text(accuracy),
                     samples_text(accuracy));
}

std::string accuracy_text(const AccuracyRecord& accuracy, const PairNames& names) {
  if (!accuracy.reference) return accuracy_text(accuracy.quantized);
  const auto& [reference, quantized] = std::tie(*accuracy.reference, accuracy.quantized);
  const std::string ratio = accuracy.ratio ? change_text(*accuracy.ratio) : std::string("n/a");
  const std::string both =
      fmt::format("({}|{})", printable(names.quantized), printable(names.reference));
  std::string text =
      fmt::format("{} {}: {}|{}, ratio {}{}, 95 % interval of the difference {}\n",
                  printable(reference.metric), both, figure_text(quantized), figure_text(reference),
                  ratio, direction_text(reference), difference_text(accuracy));
  text += fmt::format("95 % intervals {}: {}|{}{}\n", both, interval_text(quantized),
                      interval_text(reference), samples_text(reference));
  return text + flips_text(accuracy);
}

Table accuracy_table(const AccuracyRecord& accuracy, const PairNames& names) {
  Table table{.title = "Accuracy",
              .columns = {{.title = "Model"},
                          {.title = "Metric"},
                          {.title = "Value"},
                          {.title = "95 % low"},
                          {.title = "95 % high"},
                          {.title = "Samples"}},
              .rows = {row_of(names.quantized, accuracy.quantized)}};
  if (!accuracy.reference) return table;
  table.rows.push_back(row_of(names.reference, *accuracy.reference));
  Accuracy difference = *accuracy.reference;
  difference.value = accuracy.difference.value_or(0);
  difference.interval = accuracy.difference_interval;
  table.rows.push_back(row_of("difference", difference));
  if (!accuracy.reference->is_rate) return table;
  table.columns.insert(table.columns.end(), {{.title = "Lost"}, {.title = "Gained"}});
  for (std::vector<Cell>& row : table.rows) row.resize(table.columns.size());
  table.rows.back().end()[-2] = static_cast<std::int64_t>(accuracy.lost);
  table.rows.back().end()[-1] = static_cast<std::int64_t>(accuracy.gained);
  return table;
}

}  // namespace quantlens
