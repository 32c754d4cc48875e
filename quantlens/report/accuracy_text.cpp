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
std::string flips_text(const AccuracyPair& accuracy) {
  if (accuracy.flips.empty()) return {};
  const std::size_t listed = std::min(accuracy.flips.size(), kFlipsListed);
  std::string text = "Flipped samples (reference -> quantized):";
  for (std::size_t i = 0; i < listed; ++i) {
    const Flip& flip = accuracy.flips[i];
    text += fmt::format(" {} ({}, label {}: {} -> {}){}", printable(flip.name),
                        printable(flip.direction), flip.label, flip.reference, flip.other,
                        i + 1 < listed ? "," : "");
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
std::string difference_text(const AccuracyPair& accuracy) {
  if (!accuracy.reference.is_rate || !accuracy.difference_interval) {
    return interval_text(accuracy.difference_interval, false);
  }
  const auto& [low, high] = *accuracy.difference_interval;
  return fmt::format("[{:.1f}, {:.1f}] points, {} answers lost, {} gained", 100 * low, 100 * high,
                     accuracy.lost, accuracy.gained);
}

/// ", 500 samples"; nothing of a program's figure, which has its own.
std::string samples_text(const Accuracy& accuracy) {
  return accuracy.samples == 0 ? "" : fmt::format(", {}", counted(accuracy.samples, "sample"));
}

}  // namespace

std::string accuracy_text(const Accuracy& accuracy) {
  return fmt::format("{}: {}{}, 95 % interval {}{}\n", printable(accuracy.metric),
                     figure_text(accuracy), direction_text(accuracy), interval_text(accuracy),
                     samples_text(accuracy));
}

std::string accuracy_text(const AccuracyPair& accuracy) {
  const auto& [reference, quantized] = std::tie(accuracy.reference, accuracy.quantized);
  const std::string ratio = accuracy.ratio ? change_text(*accuracy.ratio) : std::string("n/a");
  std::string text =
      fmt::format("{} (int8|fp32): {}|{}, ratio {}{}, 95 % interval of the difference {}\n",
                  printable(reference.metric), figure_text(quantized), figure_text(reference),
                  ratio, direction_text(reference), difference_text(accuracy));
  text += fmt::format("95 % intervals (int8|fp32): {}|{}{}\n", interval_text(quantized),
                      interval_text(reference), samples_text(reference));
  return text + flips_text(accuracy);
}

}  // namespace quantlens
