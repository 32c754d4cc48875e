// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <unordered_set>
#include <utility>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

/// Where equal steps of what goes in are far from equal ones of what comes out, and why.
struct Steep {
  const Node* op = nullptr;
  const char* what = "";
};

const char* steepness(const Node& node, std::size_t input, double step) {
  constexpr double kLargeExponent = 0.25;  // a step multiplies by more than 1.28
  switch (node.kind) {
    case Kind::log:
      return "logarithm";
    case Kind::sqrt:
      return "square root";
    case Kind::reciprocal:
      return "reciprocal";
    case Kind::div:
      return input == 1 ? "divisor" : nullptr;
    case Kind::softmax:
      return step >= kLargeExponent ? "softmax" : nullptr;
    case Kind::exp:
      return step >= kLargeExponent ? "exponential" : nullptr;
    default:
      return nullptr;
  }
}

bool keeps_small_values(Kind kind) {
  return kind == Kind::add || kind == Kind::mul || kind == Kind::max || kind == Kind::min ||
         kind == Kind::concat || kind == Kind::relu || kind == Kind::clip || kind == Kind::abs ||
         kind == Kind::slice || kind == Kind::split || kind == Kind::gather ||
         kind == Kind::identity || kind == Kind::cast || kind == Kind::reduce_sum ||
         kind == Kind::reduce_mean;
}

/// The first steep op behind a value, within a few ops that pass small values on.
Steep steep_behind(const Evidence& evidence, const ActivationRow& row) {
  constexpr int kFar = 4;
  std::vector<std::pair<std::string, int>> waiting{{row.value, 0}};
  std::unordered_set<std::string> seen{row.value};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [value, far] = waiting[i];
    for (const Use& use : evidence.readers(value)) {
      const Node& node = evidence.reference().graph().nodes[use.node];
      if (const char* what = steepness(node, use.input, row.scale.value_or(0)))
        return {&node, what};
      if (far >= kFar || !keeps_small_values(node.kind)) continue;
      for (const std::string& output : node.outputs) {
        if (seen.insert(output).second) waiting.emplace_back(output, far + 1);
      }
    }
  }
  return {};
}

}  // namespace

/// One step for all values, and behind it an op that tells the small ones apart.
std::optional<Cause> steep_reader(const Evidence& evidence, const ActivationRow& row) {
  if (!row.scale || part(row.rounding_mse, row) < 0.5) return {};
  const Steep steep = steep_behind(evidence, row);
  if (steep.op == nullptr) return {};
  std::vector<OpRef> ops = evidence.ops_before_logarithm(row);
  if (ops.empty()) ops = evidence.ops_at(row);
  return Cause{.reasons = {{"steep_reader",
                            {{"what", figure::text(steep.what)},
                             {"op", figure::op(ref_of(*steep.op))},
                             {"step", figure::number(*row.scale)},
                             {"median", figure::number(row.median)}}}},
               .ops = ops,
               .remedy = in_float(ops),
               .shared = op_id(*steep.op)};
}

}  // namespace quantlens
