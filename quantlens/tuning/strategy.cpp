// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/strategy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

struct Row {
  const char* name;
  Strategy strategy;
};

constexpr Row kStrategies[] = {
    {"auto", tune_auto},
    {"basic", tune_basic},
    {"conservative", tune_conservative},
    {"mse", tune_mse},
    {"mse_v2", tune_mse_v2},
    {"random", tune_random},
    {"exhaustive", tune_exhaustive},
    {"bayesian", tune_bayesian},
};

}  // namespace

Strategy strategy_named(const std::string& name) {
  for (const Row& row : kStrategies) {
    if (name == row.name) return row.strategy;
  }
  const std::vector<std::string> names = strategy_names();
  const std::string near = did_you_mean(name, names);
  throw Error(Errc::usage, fmt::format("there is no strategy '{}'; {}known: {}", printable(name),
                                       near.empty() ? "" : near + "; ", fmt::join(names, ", ")));
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Row& row : kStrategies) names.emplace_back(row.name);
  return names;
}

bool has_figure(const Trial& trial) {
  return trial.judged == Judged::whole;
}

std::optional<Trial> run_to_the_end(Search& search, Proposal proposal) {
  proposal.look = Look::early;
  std::optional<Trial> trial = search.run(proposal);
  if (!trial || trial->judged != Judged::met) return trial;
  proposal.look = Look::whole;
  proposal.why += ", over all samples";
  return search.run(proposal);
}

void fall_back_in_order(Search& search, const Recipe& recipe,
                        const std::vector<const TunableOp*>& order) {
  std::vector<const TunableOp*> in_float;
  for (const TunableOp* op : order) {
    in_float.push_back(op);
    const auto trial =
        run_to_the_end(search, {.recipe = with_float(recipe, in_float),
                                .why = fmt::format("{} in float, the last one {}",
                                                   counted(in_float.size(), "op"), op->name)});
    if (!trial || search.is_enough(*trial)) return;
  }
}

}  // namespace quantlens
