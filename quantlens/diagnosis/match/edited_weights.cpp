// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/edited_weights.h"

#include <set>
#include <string>
#include <unordered_map>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/view/weights.h"
#include "quantlens/runtime/constants.h"

namespace quantlens {
namespace {

/// By id of the op: how well the quantized model's weight is the float one.
std::unordered_map<std::string, double> sqnr_of_weights(const Model& reference,
                                                        const Indexed& quantized) {
  const Indexed looked_up = indexed(reference);
  const Pairing pairing = pair(looked_up, quantized);
  std::unordered_map<std::string, double> sqnr_db;
  for (const WeightRow& row : weight_rows({looked_up, quantized, pairing}))
    sqnr_db.emplace(row.op.id, row.sqnr_db);
  return sqnr_db;
}

}  // namespace

bool has_edited_weights(const Model& quantized, const Model& plain, const Model& edited,
                        const Plan& plan) {
  constexpr double kFits = 10, kSurely = 6;  // dB
  std::set<std::string> ops;
  for (const InputEdit& edit : plan.input_edits) ops.insert(edit.use.op);
  const Indexed looked_up = indexed(quantized);
  const auto of_plain = sqnr_of_weights(plain, looked_up);
  const auto of_edited = sqnr_of_weights(edited, looked_up);
  const auto is = [&](const auto& one, const auto& other, const std::string& op) {
    const auto found = one.find(op);
    if (found == one.end() || found->second < kFits) return false;
    const auto against = other.find(op);
    return against == other.end() || found->second - against->second > kSurely;
  };
  bool is_any = false;
  for (const std::string& op : ops) {
    if (is(of_plain, of_edited, op)) return false;
    is_any = is_any || is(of_edited, of_plain, op);
  }
  return is_any;
}

}  // namespace quantlens
