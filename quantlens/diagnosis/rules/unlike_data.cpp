// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/words.h"
#include "quantlens/diagnosis/rules/room.h"
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr double kClipped = 0.02;
constexpr double kWide = 2;
constexpr const char* kMinmax = "minmax";  // clips nothing of the data that it saw

/// Share of the codes that the values need: from the least to the greatest, and to 0, which codes
/// always reach. So a mask of ones needs all codes up to 1.
double used(const ActivationRow& row, const std::array<double, 2>& reach) {
  const double low = std::clamp(std::min(row.min, 0.0), reach[0], reach[1]);
  const double high = std::clamp(std::max(row.max, 0.0), reach[0], reach[1]);
  return (high - low) / (reach[1] - reach[0]);
}

/// Whether no value has one of the signs, though a third of the codes or more are for it. Codes of
/// a file that has two-sided ones alone say nothing: its maker centres all.
bool lacks_a_sign(const ActivationRow& row, const std::array<double, 2>& reach) {
  constexpr double kThird = 1.0 / 3;
  const double width = reach[1] - reach[0];
  return (row.min >= 0 && -reach[0] >= kThird * width) ||
         (row.max <= 0 && reach[1] >= kThird * width);
}

/// Whether some value's codes are all of one sign.
bool has_one_sided_codes(const Evidence& evidence) {
  return std::ranges::any_of(evidence.diagnosis().activations, [&](const ActivationRow& row) {
    const auto reach = evidence.reach(row);
    return reach && ((*reach)[0] == 0 || (*reach)[1] == 0);
  });
}

bool is_affine(Kind kind) {
  return kind == Kind::add || kind == Kind::sub || kind == Kind::mul || kind == Kind::div;
}

/// The input of an op that its result is moved from (framed, padded, cut, joined to nothing), or
/// multiplied or added to by constants; nothing of all else.
std::optional<std::string> prepared_from(const Evidence& evidence, const Node& op) {
  const auto is_constant = [&](std::size_t i) {
    return evidence.constant_input(op, i) != nullptr ||
           evidence.reference().constant(op.inputs[i]) != nullptr;
  };
  if (moves_elements(op.kind) || op.kind == Kind::pad || op.kind == Kind::gather) {
    if (op.inputs.empty() || is_constant(0)) return {};
    return op.inputs.front();
  }
  if (!is_affine(op.kind) || op.inputs.size() != 2) return {};
  if (is_constant(1)) return left_of(op);
  if (is_constant(0) && op.kind != Kind::div) return right_of(op);
  return {};
}

/// A value, what it is prepared from, and so on to the model's input; empty where it is computed
/// from its inputs, not only moved, multiplied or added to by constants (the mean is taken off
/// inside, sound is framed).
std::vector<std::string> preparation(const Evidence& evidence, const ActivationRow& row) {
  constexpr std::size_t kMostSteps = 64;
  std::vector<std::string> values{row.value};
  while (values.size() < kMostSteps && !evidence.reference().is_input(values.back())) {
    const std::optional<std::size_t> maker = evidence.reference().producer(values.back());
    if (!maker) return {};
    std::optional<std::string> from =
        prepared_from(evidence, evidence.reference().graph().nodes[*maker]);
    if (!from) return {};
    values.push_back(*std::move(from));
  }
  return evidence.reference().is_input(values.back()) ? values : std::vector<std::string>();
}

/// What may have made the misfit.
Statement why(const Evidence& evidence, bool is_clipped) {
  const std::optional<RangeAlgorithm> algorithm = evidence.range_algorithm();
  if (!is_clipped || algorithm == RangeAlgorithm::minmax) {
    return {.says = "unlike_data.prepared_otherwise", .figures = {}};
  }
  if (!algorithm) return {.says = "unlike_data.may_clip_on_purpose", .figures = {}};
  return {.says = "unlike_data.clips_on_purpose",
          .figures = {{"algorithm", figure::text(std::string(word(*algorithm)))}}};
}

/// How far the values reach beyond the codes, of the codes' width.
double overshoot(const ActivationRow& row, const std::array<double, 2>& reach) {
  return std::max({0.0, reach[0] - row.min, row.max - reach[1]}) / (reach[1] - reach[0]);
}

/// What does not fit the codes that calibration chose for it. `input`: of the network.
std::optional<Finding> misfit(const Evidence& evidence, const ActivationRow& row,
                              const std::string& input, bool one_sided) {
  constexpr double kBeyond = 0.05;  // less is the choice of samples, or the maker's rounding
  constexpr double kTwoBits = 0.25;
  const auto reach = evidence.reach(row);
  if (!reach || row.elements == 0) return {};
  if (row.min == 0 && row.max == 0) return {};  // fits any codes, and makes no error
  const double times = room(row, *reach);
  const bool is_clipped = row.clip_rate >= kClipped && overshoot(row, *reach) >= kBeyond;
  const bool is_wide = std::isfinite(times) && times > kWide;
  const bool lacks = one_sided && lacks_a_sign(row, *reach);
  const double part = used(row, *reach);
  if (!is_clipped && !is_wide && !lacks && part > kTwoBits) return {};
  // what clips by no algorithm's choice, what never has one of the signs, and what uses 6 bits of 8
  // or fewer makes all other figures doubtful
  const bool is_chosen =
      evidence.range_algorithm().value_or(RangeAlgorithm::minmax) != RangeAlgorithm::minmax;
  const bool is_problem = (is_clipped && !is_chosen) || lacks || part <= kTwoBits;
  const bool is_note = is_clipped && !is_problem;
  Statement fit{.says = "unlike_data",
                .figures = {{"data", figure::numbers({row.min, row.max})},
                            {"codes", figure::numbers(*reach)},
                            {"used", figure::share(part)},
                            {"clipped", figure::share(row.clip_rate)}}};
  if (!evidence.is_input(row)) fit.figures["behind"] = figure::op(row.op);
  return Finding{.rule = "unlike_data",
                 .op = {.id = input, .name = input},
                 .ops = {row.op},
                 .reasons = {std::move(fit), why(evidence, is_clipped)},
                 .remedy = {},
                 .severity = is_problem ? Severity::problem
                             : is_note  ? Severity::note
                                        : usual_severity(evidence)};
}

}  // namespace

/// The model's own inputs, or what is made of them before anything is computed, do not fit the
/// codes that calibration chose: told where it is first seen.
std::vector<Finding> unlike_data(const Evidence& evidence) {
  const bool one_sided = has_one_sided_codes(evidence);
  std::map<std::string, Finding> misfits;  // by value
  std::vector<std::vector<std::string>> preparations;
  for (const ActivationRow& row : evidence.diagnosis().activations) {
    std::vector<std::string> values = preparation(evidence, row);
    if (values.empty()) continue;
    std::optional<Finding> finding = misfit(evidence, row, values.back(), one_sided);
    if (finding && misfits.emplace(row.value, *std::move(finding)).second)
      preparations.push_back(std::move(values));
  }
  std::vector<Finding> findings;
  for (const std::vector<std::string>& values : preparations) {
    const bool is_first = std::none_of(values.begin() + 1, values.end(),
                                       [&](const auto& value) { return misfits.contains(value); });
    if (is_first) findings.push_back(misfits.at(values.front()));
  }
  return findings;
}

}  // namespace quantlens
