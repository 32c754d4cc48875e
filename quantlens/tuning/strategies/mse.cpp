// SPDX-License-Identifier: Apache-2.0
// Ops in float one after the other, those with the largest normalized MSE of a diagnosis first.
#include <algorithm>
#include <map>

#include "quantlens/tuning/strategies/strategies.h"

namespace quantlens {
namespace {

std::vector<const TunableOp*> largest_first(const Space& space, const Diagnosis* diagnosis) {
  std::map<std::string, double> errors;
  if (diagnosis != nullptr) {
    for (const ActivationRow& row : diagnosis->activations) {
      double& error = errors[row.op.id];
      error = std::max(error, row.mse_normalized);
    }
  }
  const auto error_of = [&](const TunableOp* op) {
    double largest = 0;
    for (const std::string& value : op->values) {
      const auto found = errors.find(value);
      if (found != errors.end()) largest = std::max(largest, found->second);
    }
    return largest;
  };
  std::vector<const TunableOp*> order;
  for (const TunableOp& op : space.ops) order.push_back(&op);
  std::ranges::stable_sort(order, std::ranges::greater(), error_of);
  return order;
}

}  // namespace

void tune_mse(Search& search) {
  const Recipe& start = search.task().start;
  const auto trial = search.run({.recipe = start, .why = "the recipe as given"});
  if (!trial || search.is_enough(*trial)) return;
  const Diagnosis* diagnosis = search.diagnose(start);
  fall_back_in_order(search, start, largest_first(search.task().space, diagnosis));
}

}  // namespace quantlens
