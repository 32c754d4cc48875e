// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/diagnosis/rules/rules.h"

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

Cause in_float_because(std::string because, const ActivationRow& row) {
  return {.because = std::move(because),
          .ops = {row.name},
          .remedy = in_float({row.name}),
          .shared = {}};
}

bool multiplies_weight(const Evidence& evidence, const ActivationRow& row) {
  const Node* node = evidence.node(row.op);
  if (node == nullptr || node->inputs.size() < 2) return false;
  const bool multiplies = node->kind == Kind::conv || node->kind == Kind::conv_transpose ||
                          node->kind == Kind::gemm || node->kind == Kind::matmul;
  return multiplies && evidence.constant_input(*node, 1) != nullptr;
}

/// Whether codes that were not compared (scaled anew for each input, in blocks) feed the op: what
/// their rounding makes is not known.
bool reads_unknown(const Evidence& evidence, const ActivationRow& row) {
  const Node* node = evidence.node(row.op);
  return node != nullptr && std::ranges::any_of(node->inputs, [&](const std::string& input) {
           return std::ranges::find(evidence.pairing().not_compared, input, &NotCompared::value) !=
                  evidence.pairing().not_compared.end();
         });
}

}  // namespace

/// Neither codes nor the weight can make so much error: the two ops do not compute the same.
std::optional<Cause> unexplained(const Evidence& evidence, const ActivationRow& row) {
  constexpr double kMost = 0.5;
  const WeightRow* stored = evidence.weight(row.op);
  const std::optional<double> most = most_by_rounding(evidence.weight_pair(row.op));
  const double of_weight = part(row.weight_mse, row);
  if (stored != nullptr && most && stored->mse > *most && of_weight >= kMost) {
    return in_float_because(
        fmt::format("its weight in the quantized model ({:.1f} dB) makes {:.0f} % of its error and "
                    "is off by {:.1f} times the most that rounding in its steps can make: it is "
                    "another weight",
                    stored->sqnr_db, 100 * of_weight, std::sqrt(stored->mse / *most)),
        row);
  }
  const double other = part(row.other_mse, row);
  const bool has_weight = multiplies_weight(evidence, row);
  if (other < kMost || reads_unknown(evidence, row)) return {};
  if (has_weight && stored == nullptr) {
    return in_float_because(
        fmt::format("rounding of its inputs and result cannot make {:.0f} % of its error, and the "
                    "quantized model has no weight that is surely this one: the weight, the bias, "
                    "an attribute or the arithmetic is another one",
                    100 * other),
        row);
  }
  return in_float_because(
      fmt::format("rounding of its inputs, {} and result cannot make {:.0f} % of its error: {}, an "
                  "attribute or the arithmetic is another one",
                  has_weight ? "weight" : "constants", 100 * other,
                  has_weight ? "its bias" : "what it reads"),
      row);
}

}  // namespace quantlens
