// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens {

std::string effects_text(const Plan& plan) {
  std::map<std::string, std::vector<const AlgorithmEffect*>> by_algorithm;
  for (const AlgorithmEffect& effect : plan.effects) {
    by_algorithm[effect.algorithm].push_back(&effect);
  }
  std::string text;
  for (auto& [algorithm, effects] : by_algorithm) {
    std::ranges::stable_sort(effects, {}, [](const AlgorithmEffect* one) { return one->gain_db; });
    std::string name = algorithm;
    std::ranges::replace(name, '_', ' ');
    text += fmt::format(
        "{}: {} op{}, {:.1f} dB less error of rounded weights (median), at most {:.1f} dB ({})\n",
        name, effects.size(), effects.size() == 1 ? "" : "s", effects[effects.size() / 2]->gain_db,
        effects.back()->gain_db, printable(effects.back()->name));
  }
  return text;
}

}  // namespace quantlens
