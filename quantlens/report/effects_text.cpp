// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

/// Whether a gain is that of an error that goes altogether: more is not told (docs/format.md).
bool is_all(double gain_db) {
  constexpr double kMost = 100;
  return gain_db >= kMost;
}

}  // namespace

std::string effects_text(const Plan& plan) {
  std::map<AccuracyAlgorithm, std::vector<const AlgorithmEffect*>> by_algorithm;
  for (const AlgorithmEffect& effect : plan.effects) {
    by_algorithm[effect.algorithm].push_back(&effect);
  }
  std::string text;
  for (auto& [algorithm, effects] : by_algorithm) {
    std::ranges::stable_sort(effects, {}, [](const AlgorithmEffect* one) { return one->gain_db; });
    std::string name(word(algorithm));
    std::ranges::replace(name, '_', ' ');
    const double median = effects[effects.size() / 2]->gain_db;
    const double most = effects.back()->gain_db;
    text +=
        fmt::format("{}: {}, {} (median), at most {} ({})\n", name, counted(effects.size(), "op"),
                    is_all(median) ? "no error of rounded weights left"
                                   : fmt::format("{:.1f} dB less error of rounded weights", median),
                    is_all(most) ? "all of it gone" : fmt::format("{:.1f} dB", most),
                    printable(effects.back()->op.name));
  }
  return text;
}

}  // namespace quantlens
