// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/graph/integer_ops.h"
#include "quantlens/record/own_error.h"

namespace quantlens {
namespace {

/// The most that rounding to the weight's codes can make: half a step of each element. Absent where
/// steps are not known.
std::optional<double> most_by_rounding(const WeightPair* pair) {
  if (pair == nullptr || pair->in_blocks || pair->params.empty()) return {};
  const double squares = std::accumulate(
      pair->params.begin(), pair->params.end(), 0.0,
      [](double sum, const QParams& params) { return sum + double{params.scale} * params.scale; });
  return squares / static_cast<double>(pair->params.size()) / 4;
}

Cause in_float_because(Statement reason, const ActivationRow& row) {
  return {
      .reasons = {std::move(reason)}, .ops = {row.op}, .remedy = in_float({row.op}), .shared = {}};
}

bool multiplies_weight(const Evidence& evidence, const ActivationRow& row) {
  const Node* node = evidence.node(row.op.id);
  return node != nullptr && multiplies_by_weight(node->kind) &&
         evidence.constant_weight(*node) != nullptr;
}

/// What is known of the codes that the quantized model's op reads or has inside.
enum class CodesRead : std::uint8_t {
  compared,
  unpaired,    ///< some stand for no value of the reference, or were left out
  scaled_anew  ///< some have a scale for each input or block, which rounds as it will
};

CodesRead codes_behind(const Evidence& evidence, const ActivationRow& row) {
  constexpr std::size_t kMostSteps = 256;
  const Pairing& pairing = evidence.pairing();
  const std::unordered_set<std::string> unknown(pairing.only_quantized.begin(),
                                                pairing.only_quantized.end());
  std::unordered_set<std::string> seen{row.quantized};
  for (const ValuePair& pair : pairing.pairs) seen.insert(pair.quantized);
  std::vector<std::string> waiting{row.quantized};
  for (std::size_t i = 0; i < waiting.size() && i < kMostSteps; ++i) {
    const auto producer = evidence.quantized().producer(waiting[i]);
    if (!producer) continue;
    const Node& node = evidence.quantized().graph().nodes[*producer];
    if (node.kind == Kind::dynamic_quantize || has_codes_inside(node))
      return CodesRead::scaled_anew;
    for (const std::string& input : node.inputs) {
      if (unknown.contains(input)) return CodesRead::unpaired;
      if (seen.insert(input).second) waiting.push_back(input);
    }
  }
  return CodesRead::compared;
}

/// What feeds the op: where it was not compared, what its rounding makes is not known.
CodesRead codes_read(const Evidence& evidence, const ActivationRow& row) {
  const Node* node = evidence.node(row.op.id);
  const auto& not_compared = evidence.pairing().not_compared;
  const auto is_left_out = [&](const std::string& input) {
    return std::ranges::find(not_compared, input, &NotCompared::value) != not_compared.end();
  };
  const CodesRead behind = codes_behind(evidence, row);
  if (behind != CodesRead::compared || node == nullptr) return behind;
  return std::ranges::any_of(node->inputs, is_left_out) ? CodesRead::unpaired : CodesRead::compared;
}

/// Of an op that reads codes that were not compared: nothing where their rounding may make its
/// error.
std::optional<Cause> beyond_rounding(const ActivationRow& row) {
  if (row.local_sqnr_db.value_or(kSeldomRounding) >= kSeldomRounding) return {};
  return in_float_because(
      {"unexplained.uncompared_codes", {{"own_sqnr", figure::decibels(*row.local_sqnr_db)}}}, row);
}

/// Whether a change of the op was read off the two files.
bool is_told_of(const Evidence& evidence, const ActivationRow& row) {
  return std::ranges::any_of(evidence.pairing().changes, [&](const Change& change) {
    return change.op == row.op || change.value == row.value;
  });
}

}  // namespace

/// Neither codes nor the weight can make so much error: the two ops do not compute the same.
std::optional<Cause> unexplained(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kMost = 0.5;
  const WeightRow* stored = evidence.weight(row.op.id);
  const std::optional<double> most = most_by_rounding(evidence.weight_pair(row.op.id));
  const double of_weight = part(row.weight_mse, row);
  if (stored != nullptr && most && stored->mse > *most && of_weight >= kMost) {
    return in_float_because({"unexplained.other_weight",
                             {{"weight_sqnr", figure::decibels(stored->sqnr_db)},
                              {"part", figure::share(of_weight)},
                              {"times_rounding", figure::number(std::sqrt(stored->mse / *most))}}},
                            row);
  }
  const double other = part(row.other_mse, row);
  const bool has_weight = multiplies_weight(evidence, row);
  if (other < kMost) return {};
  const CodesRead read = codes_read(evidence, row);
  if (read == CodesRead::scaled_anew) return {};
  if (read == CodesRead::unpaired) return beyond_rounding(row);
  if (is_told_of(evidence, row)) {
    return in_float_because({"unexplained.known_change", {{"part", figure::share(other)}}}, row);
  }
  if (has_weight && stored == nullptr) {
    return in_float_because({"unexplained.no_weight", {{"part", figure::share(other)}}}, row);
  }
  return in_float_because({"unexplained.beyond_rounding",
                           {{"constant", figure::text(has_weight ? "weight" : "constants")},
                            {"part", figure::share(other)}}},
                          row);
}

}  // namespace quantlens
