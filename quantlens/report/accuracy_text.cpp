// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

constexpr std::size_t kFlipsListed = 10;

std::string interval_text(const std::array<double, 2>& interval) {
  return fmt::format("[{:.4f}, {:.4f}]", interval[0], interval[1]);
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
  const auto& [low, high] = accuracy.difference_interval;
  if (!accuracy.reference.is_rate) return interval_text(accuracy.difference_interval);
  return fmt::format("[{:.1f}, {:.1f}] points, {} answers lost, {} gained", 100 * low, 100 * high,
                     accuracy.lost, accuracy.gained);
}

}  // namespace

std::string accuracy_text(const Accuracy& accuracy) {
  return fmt::format("{}: {:.4f}, 95 % interval {}, {} samples\n", printable(accuracy.metric),
                     accuracy.value, interval_text(accuracy.interval), accuracy.samples);
}

std::string accuracy_text(const AccuracyPair& accuracy) {
  const std::string ratio =
      accuracy.ratio ? fmt::format("{:.2f} %", 100 * *accuracy.ratio) : std::string("n/a");
  std::string text =
      fmt::format("{} (int8|fp32): {:.4f}|{:.4f}, ratio {}, 95 % interval of the difference {}\n",
                  printable(accuracy.reference.metric), accuracy.quantized.value,
                  accuracy.reference.value, ratio, difference_text(accuracy));
  text += fmt::format("95 % intervals (int8|fp32): {}|{}, {} samples\n",
                      interval_text(accuracy.quantized.interval),
                      interval_text(accuracy.reference.interval), accuracy.reference.samples);
  return text + flips_text(accuracy);
}

}  // namespace quantlens
