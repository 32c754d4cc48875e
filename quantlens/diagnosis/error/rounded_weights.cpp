// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/rounded_weights.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/diagnosis/error/local_errors.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/match/paired_constants.h"
#include "quantlens/diagnosis/view/weights.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostBytes = 256U << 20U;

/// How the activation of each op that is compared is paired with itself.
std::map<std::string, PairTap> taps_of_ops(const Pairing& pairing) {
  std::map<std::string, PairTap> of_values;
  for (PairTap& tap : local_taps_for(pairing).pairs) {
    tap.quantized = tap.reference;
    tap.scheme.reset();
    tap.params.reset();
    tap.channel_params.clear();
    tap.channel_axis.reset();
    of_values.emplace(tap.reference, std::move(tap));
  }
  std::map<std::string, PairTap> of_ops;
  for (const ValuePair& pair : pairing.pairs) {
    const auto tap = of_values.find(pair.reference);
    if (tap != of_values.end()) of_ops.emplace(pair.op.id, tap->second);
  }
  return of_ops;
}

/// Makes inputs of ops read other weights, those that are folded already among them.
class Redirects {
 public:
  explicit Redirects(Plan& plan) : plan_(plan) {
    for (std::size_t at = 0; at < plan.input_edits.size(); ++at) {
      positions_.emplace(key(plan.input_edits[at].use), at);
    }
  }
  void add(const ValueUse& use, const std::string& weight, const std::string& original) {
    const auto [found, is_new] = positions_.emplace(key(use), plan_.input_edits.size());
    if (is_new) {
      plan_.input_edits.push_back({.use = use, .weight = weight, .original = original});
    } else {
      plan_.input_edits[found->second].weight = weight;
    }
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  static Key key(const ValueUse& use) { return {use.op, use.input}; }

  Plan& plan_;
  std::map<Key, std::size_t> positions_;  // in the plan's edits
};

}  // namespace

std::optional<RoundedWeights> rounded_weights(const PairedModels& models) {
  const Prepared& prepared = models.prepared;
  const Graph& reference = models.reference.model.graph;
  const std::map<std::string, PairTap> taps = taps_of_ops(models.pairing);
  RoundedWeights rounded;
  Plan& plan = rounded.plan;
  plan.folds = prepared.folds.list();
  plan.input_edits = prepared.input_edits.list();
  plan.weights = prepared.weights;
  Redirects redirects(plan);
  std::set<std::string> tapped;
  std::size_t bytes = 0;
  for_each_weight(models, [&](const WeightSides& weight) {
    const auto tap = taps.find(weight.pair.op.id);
    bytes += weight.after.size() * sizeof(float);
    if (tap == taps.end() || weight.stored != DType::float32 || bytes > kMostBytes) return;
    const std::string& original = reference.nodes[weight.node].inputs[weight.input];
    const std::string name = fmt::format("{}/{}/rounded", weight.pair.op.id, weight.input);
    plan.weights.insert_or_assign(name, weight.after);
    redirects.add({.op = weight.pair.op.id, .input = weight.input}, name, original);
    if (tapped.insert(tap->second.reference).second) rounded.taps.pairs.push_back(tap->second);
  });
  std::map<std::string, PairTap> of_values;
  for (const auto& [op, tap] : taps) of_values.emplace(tap.reference, tap);
  for (PairedConstant& constant : paired_constants(models)) {
    const Node& node = reference.nodes[constant.node];
    const auto tap = of_values.find(constant.value);
    const std::string& original = node.inputs[constant.input];
    if (tap == of_values.end() || !reference.weights.contains(original)) continue;
    if (prepared.folds.contains(op_id(node))) continue;
    if (reference.weights.at(original).dtype() != DType::float32) continue;
    bytes += constant.after.size() * sizeof(float);
    const std::string name = fmt::format("{}/{}/rounded", op_id(node), constant.input);
    plan.weights.insert_or_assign(name, std::move(constant.after));
    redirects.add({.op = op_id(node), .input = constant.input}, name, original);
    if (tapped.insert(constant.value).second) rounded.taps.pairs.push_back(tap->second);
  }
  if (rounded.taps.pairs.empty() || bytes > kMostBytes) return std::nullopt;
  rounded.taps.local = true;
  return rounded;
}

}  // namespace quantlens
