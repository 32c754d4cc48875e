// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rounded_weights.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/diagnosis/local_errors.h"
#include "quantlens/diagnosis/paired_constants.h"
#include "quantlens/diagnosis/weights.h"
#include "quantlens/quantizer/prepare.h"
#include "quantlens/runtime/oracle/constants.h"

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
    if (tap != of_values.end()) of_ops.emplace(pair.op, tap->second);
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

/// What the quantized model folded, of what can be: a file of another tool may have left ops where
/// they were. `folds` are in the order in which they were made, each chain's from its first op on.
struct Folded {
  Folded(const GraphIndex& index, const Prepared& prepared, const Pairing& pairing) {
    std::set<std::string> left;  // ops that nothing is folded into, and what is not folded
    for (const WeightPair& pair : pairing.weights) {
      if (!pair.folded) left.insert(pair.op);
    }
    for (const Fold& fold : prepared.folds) {
      if (!left.contains(fold.into) && reads_one_of(index, fold.into, left)) left.insert(fold.into);
      if (left.contains(fold.into)) {
        left.insert(fold.op);
      } else {
        folds.push_back(fold);
        ops.insert(fold.op);
      }
    }
    for (const InputEdit& edit : prepared.input_edits.list()) {
      if (left.contains(edit.use.op)) continue;
      input_edits.push_back(edit);
      weights.emplace(edit.weight, prepared.weights.at(edit.weight));
    }
  }

  std::vector<Fold> folds;
  std::set<std::string> ops;  // that disappear
  std::vector<InputEdit> input_edits;
  std::map<std::string, Tensor> weights;

 private:
  static bool reads_one_of(const GraphIndex& index, const std::string& op,
                           const std::set<std::string>& values) {
    const std::optional<std::size_t> node = index.producer(op);
    if (!node) return false;
    return std::ranges::any_of(index.graph().nodes[*node].inputs,
                               [&](const std::string& input) { return values.contains(input); });
  }
};

}  // namespace

std::optional<RoundedWeights> rounded_weights(const Model& reference, const Model& quantized,
                                              const Pairing& pairing) {
  const Prepared prepared = prepare(reference.graph, oracle::constant_values(reference));
  const std::map<std::string, PairTap> taps = taps_of_ops(pairing);
  RoundedWeights rounded;
  Plan& plan = rounded.plan;
  Folded kept(GraphIndex(reference.graph), prepared, pairing);
  plan.folds = std::move(kept.folds);
  plan.input_edits = std::move(kept.input_edits);
  plan.weights = std::move(kept.weights);
  Redirects redirects(plan);
  std::set<std::string> tapped;
  std::size_t bytes = 0;
  for_each_weight(reference, prepared, quantized, pairing, [&](const WeightSides& weight) {
    const auto tap = taps.find(weight.pair.op);
    bytes += weight.after.size() * sizeof(float);
    if (tap == taps.end() || weight.stored != DType::float32 || bytes > kMostBytes) return;
    const std::string& original = reference.graph.nodes[weight.node].inputs[weight.input];
    const std::string name = fmt::format("{}/{}/rounded", weight.pair.op, weight.input);
    plan.weights.insert_or_assign(name, weight.after);
    redirects.add({.op = weight.pair.op, .input = weight.input}, name, original);
    if (tapped.insert(tap->second.reference).second) rounded.taps.pairs.push_back(tap->second);
  });
  std::map<std::string, PairTap> of_values;
  for (const auto& [op, tap] : taps) of_values.emplace(tap.reference, tap);
  for (PairedConstant& constant : paired_constants(reference, quantized, pairing)) {
    const Node& node = reference.graph.nodes[constant.node];
    const auto tap = of_values.find(constant.value);
    const std::string& original = node.inputs[constant.input];
    if (tap == of_values.end() || !reference.graph.weights.contains(original)) continue;
    if (kept.ops.contains(op_id(node))) continue;
    if (reference.graph.weights.at(original).dtype() != DType::float32) continue;
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
