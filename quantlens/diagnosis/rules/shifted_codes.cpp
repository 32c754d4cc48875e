// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/view/code_reach.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/diagnosis/view/never_negative.h"
#include "quantlens/quant/params.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

constexpr std::int64_t kSlack = 2;  // codes

/// A value's codes and what they are for.
struct Member {
  const ValuePair* pair;
  const ActivationRow* row;
  std::size_t value;  ///< in the view of the reference
  DType dtype;
  QParams params;  ///< of the first channel where each has a scale; their zero points are equal
  bool is_never_negative;
  bool has_channel_scales;
};

bool have_one_zero_point(const std::vector<QParams>& params) {
  return std::ranges::all_of(
      params, [&](const QParams& one) { return one.zero_point == params.front().zero_point; });
}

std::int64_t middle_of(DType dtype) {
  const CodeRange codes = code_limits(dtype);
  return codes.min + (codes.max - codes.min + 1) / 2;
}

/// Those that were compared, each tensor of codes once, and each value once for the same codes.
std::vector<Member> members_of(const Evidence& evidence, const FloatView& reference) {
  std::unordered_map<std::string, const ActivationRow*> rows;  // by quantized side
  for (const ActivationRow& row : evidence.diagnosis().activations)
    rows.emplace(row.quantized, &row);
  std::vector<Member> members;
  std::set<std::string> tensors;
  std::set<std::tuple<std::string, std::int32_t, float>> codes;
  for (const ValuePair& pair : evidence.pairing().pairs) {
    if (!pair.scheme || !pair.params || !have_one_zero_point(pair.channel_params)) continue;
    if (!pair.confirmed || pair.same_as) continue;
    const auto row = rows.find(pair.quantized);
    const auto value = reference.value_of(pair.reference);
    if (row == rows.end() || row->second->elements == 0 || !value) continue;
    if (!tensors.insert(pair.quantized).second) continue;
    if (!codes.emplace(pair.reference, pair.params->zero_point, pair.params->scale).second)
      continue;
    members.push_back({.pair = &pair,
                       .row = row->second,
                       .value = *value,
                       .dtype = pair.scheme->dtype,
                       .params = *pair.params,
                       .is_never_negative = never_negative(reference, *value),
                       .has_channel_scales = !pair.channel_params.empty()});
  }
  return members;
}

/// What a maker gives all values of a kind.
bool is_deliberate(std::int64_t zero, DType dtype, bool is_never_negative) {
  return std::abs(zero - middle_of(dtype)) <= 1 ||
         (is_never_negative && zero == code_limits(dtype).min);
}

/// Whether 0 is the first or the last code: a maker's choice for a value that stays on one side of
/// it, whatever the others are.
bool is_one_sided(const Member& one) {
  const CodeRange codes = code_limits(one.dtype);
  return one.params.zero_point == codes.min || one.params.zero_point == codes.max;
}

/// Whether the value's zero point tells the file's rule: where its range is symmetric, it has the
/// middle code by any rule.
bool tells_the_rule(const Member& one) {
  if (one.is_never_negative) return true;
  if (one.has_channel_scales) return false;  // the range of no channel is known
  const Range range{static_cast<float>(one.row->min), static_cast<float>(one.row->max)};
  const QParams affine =
      choose_params(range, {.dtype = one.dtype, .symmetric = false, .axis = std::nullopt});
  return std::abs(affine.zero_point - middle_of(one.dtype)) > kSlack;
}

/// The zero point that a file's values of a kind have.
struct Usual {
  std::int64_t zero = 0;
  std::size_t count = 0;  ///< of values that have it
};

/// The zero point of nine in ten. REQUIRES: `telling` is not empty.
std::optional<Usual> usual(const std::vector<const Member*>& telling) {
  std::map<std::int64_t, std::size_t> counts;
  for (const Member* one : telling) ++counts[one->params.zero_point];
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  const Member& first = *telling.front();
  const std::size_t fewest = first.is_never_negative ? 2 : 8;
  if (most->second < fewest || 10 * most->second < 9 * (telling.size() - 1)) return {};
  if (!is_deliberate(most->first, first.dtype, first.is_never_negative)) return {};
  return Usual{.zero = most->first, .count = most->second};
}

/// Steps of the measured range that no code reaches, and codes that no value does: below and above.
struct Fit {
  std::array<double, 2> cut, unused;
};

Fit fit_of(const Member& one, std::int64_t zero) {
  const CodeRange codes = code_limits(one.dtype);
  const double step = one.params.scale;
  const double below = static_cast<double>(zero - codes.min) + std::min(one.row->min, 0.0) / step;
  const double above = static_cast<double>(codes.max - zero) - std::max(one.row->max, 0.0) / step;
  return {.cut = {std::max(0.0, -below), std::max(0.0, -above)},
          .unused = {std::max(0.0, below), std::max(0.0, above)}};
}

/// Whether the usual zero point, with the same steps, gives back at least half of what is cut off.
bool is_mended_by(const Fit& usual, const Fit& own) {
  constexpr double kRounding = 1;  // steps
  const double lost = own.cut[0] + own.cut[1];
  return lost > kRounding && usual.cut[0] + usual.cut[1] <= lost / 2;
}

/// Likewise where channels have scales of their own, as far as it is known: what is never negative
/// and clipped is so above, and leaves the codes below 0 unused in each of them.
bool is_mended_by(std::int64_t usual, const Member& one) {
  if (!one.has_channel_scales)
    return is_mended_by(fit_of(one, usual), fit_of(one, one.params.zero_point));
  return one.is_never_negative && one.params.zero_point > usual && one.row->clip_rate > 0;
}

/// What is cut off, and what codes are for nothing.
Statement lost_by(const Member& one, const Usual& usual) {
  if (one.has_channel_scales) {
    const std::int64_t unused = one.params.zero_point - code_limits(one.dtype).min;
    return {.says = "shifted_codes.cut_in_channels",
            .figures = {{"clipped", figure::share(one.row->clip_rate)},
                        {"unused", figure::count(static_cast<std::uint64_t>(unused))}}};
  }
  const Fit own = fit_of(one, one.params.zero_point);
  const Fit mended = fit_of(one, usual.zero);
  const std::size_t side = own.cut[1] > own.cut[0] ? 1 : 0;
  return {.says = "shifted_codes.cut",
          .figures = {{"codes", figure::numbers(reach_of(one.dtype, one.params))},
                      {"values", figure::numbers({one.row->min, one.row->max})},
                      {"cut", figure::number(own.cut[side])},
                      {"side", figure::text(side == 1 ? "above" : "below")},
                      {"unused", figure::number(own.unused[1 - side])},
                      {"usual_zero_point", figure::number(static_cast<double>(usual.zero))},
                      {"usual_cut", figure::number(mended.cut[0] + mended.cut[1])}}};
}

Statements reasons_of(const Member& one, const Usual& usual, std::size_t others) {
  return {
      {.says = "shifted_codes",
       .figures = {{"zero_point", figure::number(one.params.zero_point)},
                   {"usual_zero_point", figure::number(static_cast<double>(usual.zero))},
                   {"usual_of", figure::count(usual.count)},
                   {"other_values", figure::count(others)},
                   {"kind", figure::text(one.is_never_negative ? "never negative" : "uneven")}}},
      lost_by(one, usual)};
}

void add_op(std::vector<OpRef>& ops, OpRef op) {
  if (std::ranges::find(ops, op) == ops.end()) ops.push_back(std::move(op));
}

class ShiftFinder {
 public:
  explicit ShiftFinder(const Evidence& evidence)
      : evidence_(evidence),
        reference_(evidence.reference()),
        members_(members_of(evidence, reference_)) {
    for (const Member& one : members_) groups_[{one.dtype, one.is_never_negative}].push_back(&one);
    for (const ValuePair& pair : evidence.pairing().pairs) {
      const auto value = reference_.value_of(pair.reference);
      if (!pair.params || !value) continue;
      used_.emplace(never_negative(reference_, *value), pair.params->zero_point,
                    pair.params->scale);
    }
  }

  std::vector<Change> run() const {
    std::vector<Change> found;
    for (const auto& [key, group] : groups_) add_of(group, found);
    return found;
  }

 private:
  void add_of(const std::vector<const Member*>& group, std::vector<Change>& found) const {
    std::vector<const Member*> telling;
    std::ranges::copy_if(group, std::back_inserter(telling),
                         [](const Member* one) { return tells_the_rule(*one); });
    if (telling.empty()) return;
    const std::optional<Usual> rule = usual(telling);
    if (!rule) return;
    for (const Member* one : group) {
      const QParams& params = one->params;
      if (std::abs(params.zero_point - rule->zero) <= kSlack || is_one_sided(*one)) continue;
      if (used_.contains({!one->is_never_negative, params.zero_point, params.scale})) continue;
      if (!is_mended_by(rule->zero, *one)) continue;
      if (is_told_as_changed(*one)) continue;
      found.push_back(
          change_of(*one, reasons_of(*one, *rule, telling.size() - tells_the_rule(*one))));
    }
  }

  /// The op that computes the value, whether its elements are moved or not.
  const Node* maker_of(const Member& one) const {
    const auto& values = reference_.values();
    const auto maker = values[values[one.value].root].producer;
    return maker ? &reference_.node(reference_.ops()[*maker]) : nullptr;
  }

  /// A Relu that codes stood for is told as what has gone.
  bool is_told_as_changed(const Member& one) const {
    const Node* maker = maker_of(one);
    return maker != nullptr &&
           std::ranges::any_of(evidence_.pairing().changes, [&](const Change& change) {
             return change.rule == ChangeRule::changed_op && change.op.id == op_id(*maker);
           });
  }

  Change change_of(const Member& one, Statements reasons) const {
    std::vector<OpRef> ops{one.pair->op};
    if (const Node* maker = maker_of(one)) add_op(ops, ref_of(*maker));
    if (const auto& mover = reference_.values()[one.value].producer)
      add_op(ops, ref_of(reference_.node(reference_.ops()[*mover])));
    return {.rule = ChangeRule::shifted_codes,
            .op = one.pair->op,
            .ops = std::move(ops),
            .value = one.pair->reference,
            .weight = {},
            .reasons = std::move(reasons)};
  }

  const Evidence& evidence_;
  FloatView reference_;
  std::vector<Member> members_;
  std::map<std::pair<DType, bool>, std::vector<const Member*>> groups_;
  std::set<std::tuple<bool, std::int32_t, float>> used_;  // zero points and scales, by kind
};

}  // namespace

std::vector<Change> shifted_codes(const Evidence& evidence) {
  return ShiftFinder(evidence).run();
}

}  // namespace quantlens
