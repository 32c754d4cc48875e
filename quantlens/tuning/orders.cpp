// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/orders.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace quantlens {
namespace {

void normalise(std::vector<Blame>& blames, double Blame::*field) {
  double sum = 0;
  for (const Blame& blame : blames) sum += blame.*field;
  for (Blame& blame : blames) {
    blame.*field = sum > 0 ? blame.*field / sum : 1.0 / static_cast<double>(blames.size());
  }
}

double noise_of(const ActivationRow& row, const TunableOp& op) {
  constexpr double kDecibelsADecade = 10;
  constexpr double kMost = 1e3;  // beyond, all is lost
  // means of deviations are nearly nothing, so that their noise says little
  if (op.kind == Kind::reduce_mean) return 0;
  const double noise = std::pow(10.0, -row.local_sqnr_db.value_or(row.sqnr_db) / kDecibelsADecade);
  return std::isnan(noise) ? kMost : std::min(noise, kMost);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Runs of digits become '#'.
std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (!is_digit(c)) {
      text += c;
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

using Key = std::function<std::string(std::size_t op)>;

/// A step a group of equal keys, those first that are most to blame for their cost.
OpOrder by_groups(std::string name, const std::vector<std::size_t>& ops, const Key& key,
                  const std::vector<Blame>& blames, const Costs& costs) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (const std::size_t op : ops) groups[key(op)].push_back(op);
  std::vector<std::pair<double, std::vector<std::size_t>>> rows;
  for (auto& [_, members] : groups) {
    double blame = 0;
    double cost = 0;
    for (const std::size_t op : members) {
      blame += blames[op].output;
      cost += static_cast<double>(std::max<std::uint64_t>(costs[op], 1));
    }
    rows.emplace_back(blame / cost, std::move(members));
  }
  std::ranges::stable_sort(rows, [](const auto& x, const auto& y) {
    return x.first != y.first ? x.first > y.first : x.second.front() < y.second.front();
  });
  OpOrder order{.name = std::move(name), .steps = {}};
  for (auto& row : rows) order.steps.push_back(std::move(row.second));
  return order;
}

OpOrder one_by_one(std::string name, std::vector<std::size_t> ops,
                   const std::function<double(std::size_t)>& worth) {
  std::ranges::stable_sort(ops, std::greater(), worth);
  OpOrder order{.name = std::move(name), .steps = {}};
  for (const std::size_t op : ops) order.steps.push_back({op});
  return order;
}

}  // namespace

std::vector<Blame> blames_of(const Space& space, const Diagnosis* diagnosis) {
  std::vector<Blame> blames(space.ops.size());
  if (blames.empty()) return blames;
  std::map<std::string_view, std::size_t> number;
  for (std::size_t i = 0; i < space.ops.size(); ++i) {
    for (const std::string& value : space.ops[i].values) number[value] = i;
  }
  bool knows_outputs = false;
  static const std::vector<ActivationRow> kNone;
  for (const ActivationRow& row : diagnosis ? diagnosis->activations : kNone) {
    const auto found = number.find(row.op.id);
    if (found == number.end()) continue;
    Blame& blame = blames[found->second];
    const double share = row.output_share.value_or(0);
    knows_outputs = knows_outputs || share > 0;
    if (share > 0) blame.output += share;
    blame.noise = std::max(blame.noise, noise_of(row, space.ops[found->second]));
    constexpr double kMost = 1e3;  // beyond, all is lost
    if (row.mse_normalized > blame.mse) blame.mse = std::min(row.mse_normalized, kMost);
  }
  normalise(blames, &Blame::noise);
  normalise(blames, &Blame::mse);
  if (knows_outputs) normalise(blames, &Blame::output);
  // a share that was not seen may be small, and is not nothing
  constexpr double kDoubt = 1e-3;
  for (Blame& blame : blames) {
    blame.output = knows_outputs ? blame.output + kDoubt * blame.noise : blame.noise;
  }
  return blames;
}

Blame blame_without(const std::vector<Blame>& blames, const std::set<std::size_t>& ops) {
  Blame left;
  for (std::size_t op = 0; op < blames.size(); ++op) {
    if (ops.contains(op)) continue;
    left.output += blames[op].output;
    left.noise += blames[op].noise;
    left.mse += blames[op].mse;
  }
  return left;
}

OpOrder by_blame(const std::vector<std::size_t>& ops, const std::vector<Blame>& blames,
                 const Costs& costs) {
  return one_by_one("those most to blame for what they compute", ops, [&](std::size_t op) {
    return blames[op].output / static_cast<double>(std::max<std::uint64_t>(costs[op], 1));
  });
}

std::vector<std::string> repeated_parts(const std::vector<std::string>& names) {
  const auto ends_of = [](const std::string& name) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '/' || name[i] == '.') ends.push_back(i);
    }
    ends.push_back(name.size());
    return ends;
  };
  // an exporter's "layer.3" is one part, though a dot is in it: a part ends where its number does
  std::map<std::string, std::set<std::string>> variants;
  const auto key_of = [](std::string_view part) {
    std::size_t digits = part.size();
    while (digits > 0 && is_digit(part[digits - 1])) --digits;
    return digits == part.size() ? std::string() : std::string(part.substr(0, digits)) + '#';
  };
  for (const std::string& name : names) {
    for (const std::size_t end : ends_of(name)) {
      const std::string part = name.substr(0, end);
      if (const std::string key = key_of(part); !key.empty()) variants[key].insert(part);
    }
  }
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    std::string found;
    for (const std::size_t end : ends_of(name)) {
      const std::string part = name.substr(0, end);
      const std::string key = key_of(part);
      if (key.empty() || variants[key].size() < 2) continue;
      found = part;
      break;
    }
    parts.push_back(std::move(found));
  }
  return parts;
}

std::vector<OpOrder> other_orders(const Space& space, const std::vector<std::size_t>& ops,
                                  const std::vector<Blame>& blames, const Costs& costs) {
  std::vector<std::string> names;
  for (const TunableOp& op : space.ops) names.push_back(op.name);
  const std::vector<std::string> parts = repeated_parts(names);
  const auto cost = [&](std::size_t op) {
    return static_cast<double>(std::max<std::uint64_t>(costs[op], 1));
  };
  std::vector<OpOrder> orders;
  orders.push_back(by_groups(
      "what is made alike", ops, [&](std::size_t op) { return space.ops[op].make; }, blames,
      costs));
  orders.push_back(by_groups(
      "types of ops", ops, [&](std::size_t op) { return space.ops[op].type; }, blames, costs));
  orders.push_back(by_groups(
      "what is named alike", ops, [&](std::size_t op) { return without_numbers(names[op]); },
      blames, costs));
  orders.push_back(one_by_one("from the outputs on", ops,
                              [](std::size_t op) { return static_cast<double>(op); }));
  orders.push_back(one_by_one("from the inputs on", ops,
                              [](std::size_t op) { return -static_cast<double>(op); }));
  orders.push_back(by_groups(
      "repeated parts", ops, [&](std::size_t op) { return parts[op]; }, blames, costs));
  orders.push_back(one_by_one("the noisiest for what they compute", ops,
                              [&](std::size_t op) { return blames[op].noise / cost(op); }));
  orders.push_back(one_by_one("those of the greatest error", ops,
                              [&](std::size_t op) { return blames[op].mse; }));
  return orders;
}

}  // namespace quantlens
