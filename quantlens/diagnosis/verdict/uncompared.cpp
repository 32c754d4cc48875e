// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/uncompared.h"

#include <unordered_map>

#include "quantlens/diagnosis/rules/rules.h"

namespace quantlens {
namespace {

/// Why each value was left out.
std::unordered_map<std::string, std::string> reasons_of(const Pairing& pairing) {
  std::unordered_map<std::string, std::string> reasons;
  for (const NotCompared& missed : pairing.not_compared)
    reasons.emplace(missed.value, missed.reason);
  return reasons;
}

}  // namespace

std::unordered_set<std::string> uncompared_ops(const Pairing& pairing) {
  const auto reasons = reasons_of(pairing);
  std::unordered_set<std::string> ops;
  for (const ValuePair& pair : pairing.pairs) {
    if (reasons.contains(pair.reference)) ops.insert(pair.op.id);
  }
  return ops;
}

std::vector<FoundCause> uncompared_causes(const Pairing& pairing, const Diagnosis& diagnosis) {
  constexpr std::size_t kMost = 4;  // each takes a run
  std::unordered_set<std::string> told;
  for (const ActivationRow& row : diagnosis.activations) told.insert(row.op.id);
  const auto reasons = reasons_of(pairing);
  std::vector<FoundCause> found;
  for (const ValuePair& pair : pairing.pairs) {
    const auto reason = reasons.find(pair.reference);
    if (reason == reasons.end() || pair.type == "Input" || pair.same_as) continue;
    if (!told.insert(pair.op.id).second) continue;
    if (found.size() == kMost) break;
    FoundCause& one = found.emplace_back();
    one.rule = "unexplained";
    one.op = pair.op;
    one.value = pair.reference;
    one.cause = {
        .reasons = {{"unexplained.not_compared", {{"reason", figure::text(reason->second)}}}},
        .ops = {pair.op},
        .remedy = in_float({pair.op}),
        .shared = {}};
    one.is_mistake = true;
    one.is_loud = true;
  }
  return found;
}

}  // namespace quantlens
